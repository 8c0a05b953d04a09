// A text as sentences to translate, and the text put together again from their translations: the same as
// decoding/sentences.py, which explains it.

const FILLER = "\0"; // stands for a character of a mark in a text that is searched
const EMOJI = "\u263a"; // stands for an emoji, FILLER for its other characters
const FILLERS = /\0/g;
const SEPARATORS = /[\v\f\x1c-\x1f]/g; // control characters that separate words, as spaces do

/** The pieces of a text, sentence by sentence; `fits` says whether one need not be cut. */
function splitPassage(given, fits) {
  const text = withoutControlCharacters(given).replace(SEPARATORS, " ");
  const marks = findMarks(text);
  const masked = maskedText(text, marks);
  const breaks = marks.filter((mark) => mark.kind === "break");
  const starts = [0, ...breaks.map((mark) => mark.end)];
  const pieces = starts.map((start, i) => [start, breaks[i]?.start ?? text.length])
    .flatMap((line) => sentencesOf(masked, line))
    .flatMap((sentence) => partsOf(masked, marks, sentence, fits))
    .map((part) => pieceOf(text, masked, marks, part))
    .filter(Boolean);
  return { text, pieces };
}

/** The text with each piece replaced by its output. */
function joinPassage({ text, pieces }, outputs) {
  const ends = [0, ...pieces.map((piece) => piece.end)];
  return ends.map((end, i) => text.slice(end, pieces[i]?.start ?? text.length) + (outputs[i] ?? "")).join("");
}

/** The text with FILLER, HIDDEN, EMOJI or a space for each character of a mark. */
function maskedText(text, marks) {
  const maskOf = ({ start, end, kind }) => {
    const length = end - start;
    if (kind === "keep") return HIDDEN.repeat(length);
    if (kind === "gap") return " ".padStart(length, FILLER);
    const first = kind === "character" ? withoutControlCharacters(unescaped(text.slice(start, end))) : "";
    return (kind === "emoji" ? EMOJI : first).padEnd(length, FILLER);
  };
  const ends = [0, ...marks.map((mark) => mark.end)];
  const parts = ends.map((end, i) => text.slice(end, marks[i]?.start ?? text.length));
  return parts.map((part, i) => part + (marks[i] ? maskOf(marks[i]) : "")).join("");
}

function sentencesOf(masked, [start, end]) {
  const ends = [...sentenceEnds(masked.slice(start, end))].map((place) => start + place);
  return [start, ...ends].map((begin, i) => [begin, ends[i] ?? end]);
}

/** A sentence in parts that fit. */
function partsOf(masked, marks, [start, end], fits) {
  const plain = masked.slice(start, end).replace(FILLERS, "").replace(/\ufdd0+/gv, "0");
  const place = fits(plain) ? null : cuttingPlace(masked, marks, start, end);
  if (place === null) return [[start, end]];
  return [...partsOf(masked, marks, [start, place], fits), ...partsOf(masked, marks, [place, end], fits)];
}

/** The best place to cut a part in two; null where there is none. */
function cuttingPlace(masked, marks, start, end) {
  const [quarter, middle] = [Math.floor((end - start) / 4), Math.floor((start + end) / 2)];
  for (const cut of [EXPRESSIONS.cut0, EXPRESSIONS.cut1, EXPRESSIONS.cut2]) {
    const found = [...masked.slice(0, end - quarter).matchAll(cut)].map((match) => match.index + match[0].length)
      .filter((place) => place > start + quarter && place > start && place < end);
    const distance = (place) => Math.abs(place - middle);
    if (found.length) return found.reduce((best, place) => (distance(place) < distance(best) ? place : best));
  }
  const isInside = (place) => marks.some((mark) => mark.start < place && place < mark.end)
    || /^(?:\p{M}|[\udc00-\udfff])/u.test(masked.slice(place));
  for (const step of [1, -1]) {
    let place = middle;
    while (start < place && place < end && isInside(place)) place += step;
    if (start < place && place < end) return place;
  }
  return null;
}

/** The piece of a part; null where there is nothing to translate. */
function pieceOf(text, masked, marks, [start, end]) {
  const isEdge = (character) => isSpace(character) || character === FILLER || character === EMOJI;
  let [left, right] = [start, end];
  while (left < end && isEdge(masked[left])) left += 1;
  while (right > left && isEdge(masked[right - 1])) right -= 1;
  if (!/\p{L}/v.test(masked.slice(left, right))) return null;
  const behind = (place) => {
    const found = marks.findIndex((mark) => mark.start >= place);
    return found < 0 ? marks.length : found;
  };
  const [first, inner, outer, last] = [start, left, right, end].map(behind);
  const hasPartner = ({ partner }) => partner !== null && inner <= partner && partner < outer;
  left = marks.slice(first, inner).find(hasPartner)?.start ?? left;
  right = marks.slice(outer, last).findLast(hasPartner)?.end ?? right;
  return takeOut(text, left, right, marks, [behind(left), behind(right)]);
}

/** The places in a line after which another sentence begins. */
function* sentenceEnds(text) {
  const isInLowerCase = isLower(text);
  for (const match of text.matchAll(EXPRESSIONS.sentenceEnd)) {
    const end = match.index + match[0].length;
    const following = EXPRESSIONS.following.exec(text.slice(end))[1];
    if (following === undefined) continue;
    if (isLower(following) && !(isInLowerCase && TABLES.singleStops.includes(match[0]))) continue;
    const { stops } = match.groups;
    if ([...stops].some((stop) => TABLES.noStops.includes(stop))) continue;
    const next = String.fromCodePoint(text.codePointAt(end));
    const isLoud = stops === match[0] && TABLES.loudStops.includes(stops.at(-1))
      && (isUpper(next) || EXPRESSIONS.unspaced.test(next));
    if (!isSpace(next) && !isLoud && ![...stops].some((stop) => TABLES.otherStops.includes(stop))) continue;
    const before = [...text.slice(0, match.index)].slice(-TABLES.longestAbbreviation).join("").replace(FILLERS, "");
    const word = EXPRESSIONS.lastWord.exec(before);
    const previous = withoutBeginning(splitWords(before.slice(0, word.index)).at(-1) ?? "", TABLES.openingMarks);
    if (stops !== "." || !hasOwnStop(word[0], following, previous)) yield end;
  }
}

/** Whether a full stop after a word belongs to it: the same as text/abbreviations.py, which explains it. */
function hasOwnStop(word, following, previous = "") {
  const has = (name) => TABLES.abbreviations.includes(name);
  if (has(`!${word}`)) return isUpper(word) && (previous === "" || isUpper([...previous][0]));
  if ([...word].length === 1 && isLetter(word)) {
    const isUnit = TABLES.units.includes(word) && EXPRESSIONS.digit.test([...previous].at(-1) ?? "");
    return !isUnit || EXPRESSIONS.digit.test(following);
  }
  const isNumber = word !== "" && [...word].every((character) => EXPRESSIONS.digit.test(character));
  if (isNumber) return has("0") && word.length <= 2;
  if (isListed(word, following)) return true;
  if (has(`${word.toLowerCase()}~`)) return false;
  if (/^[IVX]+$/v.test(word)) return has("0");
  return word.includes(".") && /\p{L}/v.test(word) && ![...word].some((character) => EXPRESSIONS.digit.test(character));
}

/** Whether a word is an abbreviation of the list before a word that begins with this character. */
function isListed(word, following) {
  const has = (name) => TABLES.abbreviations.includes(name);
  const name = withoutBeginning(word, TABLES.apostrophes).toLowerCase();
  if (has(name) || (isLower(following) && has(`${name}~`))) return true;
  const isEnding = (end) => end.startsWith("-") && name.endsWith(end.slice(1, -1));
  return EXPRESSIONS.digit.test(following) && (TABLES.abbreviations.some(isEnding) || has(`${name}#`));
}
