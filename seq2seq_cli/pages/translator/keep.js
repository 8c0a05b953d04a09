// What comes through a translation: marks and kept words, taken out of a sentence before, and put back after. The same
// as decoding/marks.py and decoding/keep.py, which explain it.

const DEEPEST = 100; // pairs inside one another; deeper ones are single marks
const solidLength = (text) => [...text.replace(EXPRESSIONS.gap, "")].length;
const spansOf = (expression, text) =>
  Array.from(text.matchAll(expression), ({ 0: found, index }) => [index, index + found.length]);
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** The marks of a text in their order, {start, end, kind, name, partner}; they do not overlap. */
function findMarks(text) {
  if ([...text].length <= TABLES.longestWord && !EXPRESSIONS.anyMark.test(text)) return [];
  const [isHtml, hasFirst] = [EXPRESSIONS.htmlTag.test(text), EXPRESSIONS.first.test(text)];
  const expression = new RegExp(EXPRESSIONS.mark); // with a place of its own
  const [marks, closing] = [[], []];
  for (let place = 0; ;) {
    expression.lastIndex = place;
    const match = expression.exec(text);
    if (!match && !closing.length) return pairMarks(marks);
    const isClosed = closing.length && (!match || match.index >= closing.at(-1).start);
    if (!isClosed && match.groups.numbered && !hasFirst) {
      place = match.index + match[0].length;
      continue;
    }
    const mark = isClosed ? closing.pop() : markOf(match, isHtml);
    if (isClosed && mark.start < place) continue; // it is inside of another mark
    place = mark.end;
    marks.push(mark);
    const { label, target, sign, inside } = isClosed ? {} : match.groups;
    if (!(target || sign)) continue;
    const start = place + (label ?? inside).length;
    closing.push({ start, end: start + (target ?? sign).length, kind: "close", name: mark.name });
  }
}

/** The mark that the expression found. */
function markOf({ 0: found, index: start, groups }, isHtml) {
  const group = Object.keys(TABLES.kinds).find((name) => groups[name] !== undefined);
  let kind = TABLES.kinds[group];
  if (group === "line" && isHtml) kind = "gap";
  if (group === "entity" && /^(?!&)[\p{L}\p{M}\p{N}\p{P}\p{Z}\p{Cf}]$/v.test(unescaped(found))) kind = "character";
  const name = groups.sign ?? groups.tagName ?? groups.endName ?? group;
  return { start, end: start + found.length, kind, name: name.toLowerCase() };
}

/** The characters that an entity stands for. */
function unescaped(entity) {
  const content = `x${entity}`; // a space in the beginning would be dropped
  return new DOMParser().parseFromString(content, "text/html").body.textContent.slice(1);
}

/** The marks with their partners: each closing mark has the innermost opening one of its name. */
function pairMarks(marks) {
  const opened = [];
  for (const mark of marks) {
    if (mark.kind === "open" && opened.length < DEEPEST) opened.push(mark);
    const place = mark.kind === "close" ? opened.findLastIndex(({ name }) => name === mark.name) : -1;
    if (place < 0) continue;
    [mark.partner, opened[place].partner] = [opened[place], mark];
    opened.length = place;
  }
  for (const mark of marks) if (["open", "close"].includes(mark.kind) && !mark.partner) mark.kind = "single";
  return marks;
}

/** The part of a text without these marks: {start, end, source, text, tags, kept}. */
function takeOut(text, start, end, marks) {
  const plain = between(text.slice(0, end), [{ end: start }, ...marks]).slice(1);
  const parts = plain.flatMap((part, i) => (i ? [asRead(text, marks[i - 1]), part] : [part]))
    .map((part) => part.replaceAll(HIDDEN, "").normalize("NFC")); // parts of odd numbers are of marks
  const places = runningSums(parts.map(({ length }) => length));
  const maskOf = (i) => ({ keep: HIDDEN, emoji: FILLER })[marks[(i - 1) / 2]?.kind];
  const hidden = parts.map((part, i) => maskOf(i)?.repeat(part.length) ?? part).join("");
  const emoji = marks.flatMap(({ kind }, i) => (kind === "emoji" ? [places.slice(2 * i + 1, 2 * i + 3)] : []));
  return {
    start, end,
    source: text.slice(start, end),
    text: parts.join(""),
    tags: tagsOf(text, marks, runningSums(parts.map(solidLength)).filter((_, i) => i % 2)),
    kept: [...spansOf(EXPRESSIONS.widened, hidden), ...emoji].sort(([one], [other]) => one - other),
  };
}

/** The text that the model reads in place of a mark. */
function asRead(text, mark) {
  const spelled = text.slice(mark.start, mark.end);
  if (mark.kind === "character") return withoutControlCharacters(unescaped(spelled));
  if (mark.kind === "gap") return spacesAround(text, mark).some(Boolean) ? "" : " ";
  return mark.kind === "keep" || mark.kind === "emoji" ? spelled : "";
}

const spacesAround = (text, { start, end }) => [text.slice(0, start).slice(-1), text.slice(end, end + 1)].map(isSpace);

/** Single marks and pairs of marks; `solid` has the number of characters but spaces before each mark. */
function tagsOf(text, marks, solid) {
  const [tags, opened] = [[], [-1]];
  const ends = marks.map(({ end }) => end);
  for (let i = marks.length - 2; i >= 0; i -= 1)
    if (marks[i + 1].kind === "single" && marks[i + 1].start === ends[i]) ends[i] = ends[i + 1];
  for (const [i, mark] of marks.entries()) {
    const partner = marks.indexOf(mark.partner);
    const isPair = partner >= 0;
    if (isPair && mark.kind === "close") opened.pop();
    if (["keep", "emoji", "character"].includes(mark.kind) || (isPair && mark.kind === "close")) continue;
    const [spaceBefore, spaceAfter] = isPair ? [false, false] : spacesAround(text, { start: mark.start, end: ends[i] });
    tags.push({
      text: text.slice(mark.start, mark.end), close: isPair ? text.slice(mark.partner.start, mark.partner.end) : "",
      start: solid[i], end: solid[isPair ? partner : i],
      parent: opened.at(-1), isGap: mark.kind === "gap", spaceBefore, spaceAfter,
    });
    if (isPair) opened.push(tags.length - 1);
  }
  return tags;
}

/** A translation, {text, units, weights, parts, copied}, with the marks and the kept words of its piece. */
function putBack(piece, translation) {
  const { text } = translation;
  const copied = translation.copied.map((i) => piece.text.slice(...piece.kept[i]));
  const lost = piece.kept.filter((_, i) => !translation.copied.includes(i));
  if (!piece.tags.length && !lost.length) return reveal(text, copied);
  const words = spansOf(EXPRESSIONS.words, text);
  const tags = [...piece.tags, ...lost.map((span) => tagOfLost(piece, span))];
  const order = [...tags.keys()].sort((i, j) => tags[i].start - tags[j].start);
  const places = placesOf(tags, order, weightsOfWords(words, translation), ownersOf(translation.parts));
  const edges = edgesOf(tags, order).map(([i, isClose]) => [tags[i], isClose, ...places[i][isClose]]);
  let [written, position] = ["", 0];
  for (const [tag, isClose, word, side] of edges.sort(([, , a, x], [, , b, y]) => a - b || x - y)) {
    const end = Math.max(position, side ? words[word][0] : words[word - 1]?.[1] ?? 0);
    written += reveal(text.slice(position, end), copied);
    position = end;
    written = isClose ? written + tag.close : withMark(written, tag, text[position] ?? "");
  }
  return written + reveal(text.slice(position), copied);
}

/** A text with the next of these words in place of each HIDDEN. */
const reveal = (text, left) => text.replaceAll(HIDDEN, () => left.shift() ?? "");

/** The mean attention of the characters of each word to each part; without attention, words keep their order. */
function weightsOfWords(words, { text, units, weights, parts }) {
  const columns = [...parts.keys()];
  if (!weights.some((row) => columns.some((part) => row[part]))) {
    return words.map((_, word) => columns.map((part) => Number(part === word)));
  }
  const owners = ownersOf(units);
  let first = 0;
  return words.map((word) => {
    const length = solidLength(text.slice(...word));
    const ofWord = Array.from({ length }, (_, i) => weights[owners[first + i] ?? owners.at(-1)]);
    first += length;
    return columns.map((part) => sumOf(ofWord.map((row) => row[part])) / length);
  });
}

/** The number of the unit that each character but spaces of their text is of. */
const ownersOf = (units) => units.flatMap((unit, i) => Array(solidLength(unit)).fill(i));

/** A kept word that was not copied, as a single mark. */
function tagOfLost({ text, tags }, span) {
  const start = solidLength(text.slice(0, span[0]));
  const parent = tags.findLastIndex((tag) => tag.close && tag.start <= start && start < tag.end);
  return { text: text.slice(...span), close: "", start, end: start, parent, spaceBefore: true, spaceAfter: true };
}

/** The opening mark of each tag, [number, 0], and its closing one, [number, 1], in the order of the source. */
function edgesOf(tags, order) {
  const [edges, opened] = [[], []];
  for (const i of order) {
    while (opened.length && opened.at(-1) !== tags[i].parent) edges.push([opened.pop(), 1]);
    edges.push([i, 0]);
    opened.push(i);
  }
  return [...edges, ...opened.reverse().map((i) => [i, 1])];
}

/** The places of the opening and the closing mark of each tag; places of -1 are around the whole text. */
function placesOf(tags, order, weights, owners) {
  const places = { "-1": [[0, 1], [weights.length, 0]] };
  const innermost = weights.map(() => -1); // the tag around each word, of those that have a place so far
  const points = order.filter((i) => {
    const { start, end, parent } = tags[i];
    const inside = owners.slice(start, end);
    if (!inside.length || !innermost.includes(parent)) return true;
    const gains = weights.map((row, word) => (innermost[word] === parent
      ? sumOf(row.slice(inside[0], inside.at(-1) + 1)) - sumOf(row) / 2 : -Infinity));
    const [first, last] = largestSpan(gains);
    innermost.fill(i, first, last);
    places[i] = [[first, 2], [last, 0]];
    return false;
  });
  let earliest = 0;
  for (const i of points) {
    const { start, parent } = tags[i];
    let [[first, side], place] = places[parent];
    const [part] = owners.slice(start, tags[parent]?.end);
    if (part !== undefined && first < place[0]) {
      const column = weights.slice(first, place[0]).map((row) => row[part]);
      const word = Math.max(earliest, first + column.indexOf(Math.max(...column)));
      if (word < place[0]) place = [word, word === first ? side : 1];
    }
    places[i] = [place, place];
    earliest = Math.max(earliest, place[0]);
  }
  return places;
}

/** The span with the largest sum, the first and shortest of them. */
function largestSpan(gains) {
  let [best, span, total, start] = [-Infinity, [0, 1], 0, 0];
  gains.forEach((gain, i) => {
    if (total <= 0) [total, start] = [0, i];
    total += gain;
    if (total > best) [best, span] = [total, [start, i + 1]];
  });
  return span;
}

/** What is written, with an opening mark or a single one, which has the spaces around it that it has in the source. */
function withMark(written, { text, isGap, spaceBefore, spaceAfter }, following) {
  const start = spaceBefore || !(spaceAfter || isGap) ? written : written.replace(/ +$/, "");
  const before = spaceBefore && start && !start.endsWith(" ") ? " " : "";
  return start + before + text + (spaceAfter && !TABLES.noSpaceBefore.includes(following) ? " " : "");
}
