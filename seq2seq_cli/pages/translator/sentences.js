// A text as sentences to translate, and the text put together again from their translations: the same as
// decoding/sentences.py, which explains it.

const FILLER = "\0"; // stands for a character of a mark in a text that is searched
const EMOJI = "\u263a"; // stands for an emoji, FILLER for its other characters
const SEPARATORS = /[\v\f\x1c-\x1f]/g; // control characters that separate words, as spaces do

/** The pieces of a text, sentence by sentence; `fits` says whether one need not be cut. */
function splitPassage(given, fits) {
  const text = withoutControlCharacters(given).replace(SEPARATORS, " ");
  const marks = findMarks(text);
  const masked = maskedText(text, marks);
  const breaks = marks.filter((mark) => mark.kind === "break");
  const sentences = [0, ...breaks.map(({ end }) => end)].flatMap((start, i) => {
    const end = breaks[i]?.start ?? text.length;
    const begins = [start, ...Array.from(sentenceEnds(masked.slice(start, end)), (place) => start + place)];
    return begins.map((begin, j) => [begin, begins[j + 1] ?? end]);
  });
  const pieces = sentences.flatMap((sentence) => partsOf(text, masked, marks, sentence, fits))
    .map((part) => pieceOf(text, masked, marks, part))
    .filter(Boolean);
  return { text, pieces };
}

/** The text with FILLER, HIDDEN, EMOJI or a space for each character of a mark. */
function maskedText(text, marks) {
  const maskOf = (mark) => {
    const length = mark.end - mark.start;
    if (mark.kind === "keep") return HIDDEN.repeat(length);
    if (mark.kind === "gap") return " ".padStart(length, FILLER);
    return (mark.kind === "emoji" ? EMOJI : asRead(text, mark)).padEnd(length, FILLER);
  };
  return between(text, marks).map((part, i) => part + (marks[i] ? maskOf(marks[i]) : "")).join("");
}

/** A sentence in parts that fit. */
function partsOf(text, masked, marks, [start, end], fits) {
  const plain = masked.slice(start, end).replaceAll(FILLER, "").replace(/\ufdd0+/gv, "0");
  const place = fits(plain) ? null : cuttingPlace(text, masked, marks, start, end);
  if (place === null) return [[start, end]];
  return [...partsOf(text, masked, marks, [start, place], fits), ...partsOf(text, masked, marks, [place, end], fits)];
}

/** The best place to cut a part in two; null where there is none. */
function cuttingPlace(text, masked, marks, start, end) {
  const characters = [...text.slice(start, end)];
  const numbers = [...characters.flatMap((character, i) => Array(character.length).fill(i)), characters.length];
  const [quarter, middle] = [Math.floor(characters.length / 4), Math.floor(characters.length / 2)];
  const [from, to, center] = [quarter, characters.length - quarter, middle].map((i) => start + numbers.indexOf(i));
  const distance = (place) => Math.abs(numbers[place - start] - middle); // in characters, as Python counts
  const markAround = (place) => marks.find((mark) => mark.start < place && place < mark.end);
  for (const cut of [EXPRESSIONS.cut0, EXPRESSIONS.cut1, EXPRESSIONS.cut2]) {
    const found = [...masked.slice(from, to).matchAll(cut)].map((match) => from + match.index + match[0].length)
      .map((place) => markAround(place)?.end ?? place).filter((place) => place < end);
    if (found.length) return found.sort((a, b) => distance(a) - distance(b))[0];
  }
  const isInside = (place) => markAround(place) || /^(?:\p{M}|[\udc00-\udfff])/u.test(masked.slice(place));
  for (const step of [1, -1]) {
    let place = center;
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
  const marksIn = (from, to) => marks.filter((mark) => from <= mark.start && mark.start < to);
  const inside = marksIn(left, right);
  right = Math.max(right, ...inside.map((mark) => mark.end)); // of an entity, one character is shown
  const hasPartner = ({ partner }) => inside.includes(partner);
  left = marksIn(start, left).find(hasPartner)?.start ?? left;
  right = marksIn(right, end).findLast(hasPartner)?.end ?? right;
  return takeOut(text, left, right, marksIn(left, right));
}

/** The places in a line after which another sentence begins. */
function* sentenceEnds(text) {
  const isInLowerCase = isLower(text);
  for (const { 0: found, index, groups: { stops } } of text.matchAll(EXPRESSIONS.sentenceEnd)) {
    const end = index + found.length;
    const following = EXPRESSIONS.following.exec(text.slice(end))[1];
    if (following === undefined) continue;
    if (isLower(following) && !(isInLowerCase && TABLES.singleStops.includes(found))) continue;
    const hasStop = (some) => [...stops].some((stop) => some.includes(stop));
    if (hasStop(TABLES.noStops)) continue;
    const next = String.fromCodePoint(text.codePointAt(end));
    const isLoud = stops === found && TABLES.loudStops.includes(stops.at(-1))
      && (isUpper(next) || EXPRESSIONS.unspaced.test(next));
    if (!isSpace(next) && !isLoud && !hasStop(TABLES.otherStops)) continue;
    const near = text.slice(Math.max(0, index - 2 * TABLES.longestAbbreviation), index); // a character has up to two units
    const before = [...near].slice(-TABLES.longestAbbreviation).join("").replaceAll(FILLER, "");
    const word = EXPRESSIONS.lastWord.exec(before);
    const previous = splitWords(before.slice(0, word.index)).at(-1)?.replace(EXPRESSIONS.openingMarks, "") ?? "";
    if (stops !== "." || !hasOwnStop(word[0], following, previous)) yield end;
  }
}

/** Whether a full stop after a word belongs to it: the same as decoding/sentences.py, which explains it. */
function hasOwnStop(word, following, previous) {
  const has = (name) => TABLES.abbreviations.includes(name);
  const isDigit = (character = "") => EXPRESSIONS.digit.test(character);
  const characters = [...word];
  if (has(`!${word}`)) return isUpper(word) && (previous === "" || isUpper([...previous][0]));
  if (characters.length === 1 && /\p{L}/v.test(word)) {
    return !(TABLES.units.includes(word) && isDigit([...previous].at(-1))) || isDigit(following);
  }
  if (word !== "" && characters.every(isDigit)) return has("0") && characters.length <= 2;
  const name = word.replace(EXPRESSIONS.apostrophes, "").toLowerCase();
  const isEnding = (end) => end.startsWith("-") && name.endsWith(end.slice(1, -1));
  if (has(name) || (isLower(following) && has(`${name}~`))) return true;
  if (isDigit(following) && (TABLES.abbreviations.some(isEnding) || has(`${name}#`))) return true;
  if (has(`${word.toLowerCase()}~`)) return false;
  if (/^[IVX]+$/v.test(word)) return has("0");
  return word.includes(".") && /\p{L}/v.test(word) && !characters.some(isDigit);
}
