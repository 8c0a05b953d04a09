// The attention of runs while they were trained: a film with a slider, all runs in step.

const SECONDS_PER_FRAME = 0.8;
const afterEpochs = (epochs) => `after epoch ${Math.floor(10 * epochs) / 10}`;

/** The page of runs: their films, and their learning curves as a picture. */
function filmPage({ title, films, curves }) {
  const picture = el("img", { class: "curves", src: curves, alt: "The learning curves of the runs" });
  fillPage(title, ...(films.length ? [filmView(films)] : []), el("h2", {}, "Learning curves"), picture);
}

/** The films of runs: each shows a pair as at its last validation up to the place of the slider; they may differ. */
function filmView(films) {
  const places = [...new Set(films.flatMap(({ frames }) => frames.map(({ epochs }) => epochs)))].sort((a, b) => a - b);
  const sources = (number) => [...new Set(films.map(({ frames }) => frames[0].sentences[number]?.source))].filter(Boolean);
  const count = Math.max(...films.map(({ frames }) => frames[0].sentences.length));
  const grid = el("div", { class: "films grid", "--per-row": films.length === 4 ? 2 : Math.min(3, films.length) });
  const slider = el("input", {
    type: "range", min: 0, max: places.length - 1, value: places.length - 1, "aria-label": "Validation", oninput: draw,
  });
  const play = toggle("\u25b6 Play", false, (isOn) => (isOn ? start() : clearInterval(timer)));
  const pair = choice(Array.from({ length: count }, (_, number) => sources(number).join(" / ")), choose);
  pair.value = count - 1;
  let shown;
  let timer;

  function start() {
    if (slider.value === slider.max) slider.value = 0;
    draw();
    timer = setInterval(() => {
      slider.stepUp();
      draw();
      if (slider.value === slider.max) play.click();
    }, 1000 * SECONDS_PER_FRAME);
  }

  function choose() {
    shown = films.map((film) => filmOf(film, Math.min(pair.value, film.frames[0].sentences.length - 1)));
    grid.replaceChildren(...shown.map(({ element }) => element));
    draw();
  }

  function draw() {
    const epochs = places[slider.value];
    slider.setAttribute("aria-valuetext", afterEpochs(epochs));
    for (const { show } of shown) show(epochs);
  }

  choose();
  const controls = el("div", { class: "controls" }, play, slider, el("label", {}, "Pair ", pair));
  return el("section", { class: "film", "aria-label": "Attention while it was learned" }, controls, grid);
}

/** The pair of a number as a run attends to it: {element, show}, where `show` takes the epochs until then. */
function filmOf({ name, frames }, number) {
  const { source, src_tokens: src, tgt_tokens: tgt, translation } = frames[0].sentences[number];
  const sides = { source: sideOf(src, wordsOf(src, source)), target: sideOf(tgt, wordsOf(tgt, translation)) };
  const weightsOf = ({ sentences }) => wordWeights(sentences[number].weights, sides.target, sides.source);
  const matrix = matrixOf(sides, weightsOf(frames[0]));
  const cells = matrix.querySelectorAll("tbody td");
  const told = el("span", { class: "note" });
  const show = (epochs) => {
    const frame = frames.findLast((each) => each.epochs <= epochs) ?? frames[0];
    weightsOf(frame).flat().forEach((weight, place) => showWeight(cells[place], weight));
    told.replaceChildren(`${afterEpochs(frame.epochs)}: ${frame.told}`);
  };
  const box = scrolling(matrix, `Attention of ${name} in percent: a row per word of the reference`);
  return { element: el("section", { "aria-label": name }, el("h3", {}, `${name} `, told), box), show };
}
