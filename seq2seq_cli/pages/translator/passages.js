// A text taken apart into pieces to translate, and put together again from their translations: the same as
// decoding/passages, which explains it.

const EMOJI = "\u263a"; // stands for an emoji, FILLER for its other characters
const FILLERS = /\0/g;
const SEPARATORS = /[\v\f\x1c-\x1f]/g; // control characters that separate words, as spaces do

/** A text and its marks. */
class Source {
  constructor(text) {
    this.text = text;
    this.allMarks = findMarks(text);
    this.masked = masked(text, this.allMarks);
  }

  /** The parts between the marks that part the text. */
  lines() {
    const breaks = this.allMarks.filter((mark) => mark.kind === "BREAK");
    const starts = [0, ...breaks.map((mark) => mark.end)];
    return starts.map((start, i) => [start, breaks[i]?.start ?? this.text.length]);
  }

  /** A part of the text without its marks, each kept word one digit. */
  plain(start, end) {
    if (!this.allMarks.length) return this.text.slice(start, end);
    return this.masked.slice(start, end).replace(FILLERS, "").replace(/\ufdd0+/gv, "0");
  }

  /** The best place to cut a part in two; null where there is none. */
  cuttingPlace(start, end) {
    const [quarter, middle] = [Math.floor((end - start) / 4), Math.floor((start + end) / 2)];
    for (const cut of [EXPRESSIONS.cut0, EXPRESSIONS.cut1, EXPRESSIONS.cut2]) {
      const found = [...this.masked.slice(0, end - quarter).matchAll(cut)].map((match) => match.index + match[0].length)
        .filter((place) => place > start + quarter && place > start && place < end && !this.markAround(place));
      const distance = (place) => Math.abs(place - middle);
      if (found.length) return found.reduce((best, place) => (distance(place) < distance(best) ? place : best));
    }
    const mark = this.markAround(middle);
    for (let place of mark ? [mark.start, mark.end] : [middle]) {
      while (place < end && /^(?:\p{M}|[\udc00-\udfff])/u.test(this.text.slice(place))) place += 1;
      if (start < place && place < end) return place;
    }
    return null;
  }

  /** The piece of a part; null where there is nothing to translate. */
  piece(start, end) {
    const [lead, begin] = this.run(start, end, 1);
    const [trail, close] = this.run(start, end, -1);
    if (!/\p{L}/v.test(this.masked.slice(begin, close))) return null;
    const [first, last] = this.range(start, end);
    const edges = new Set([...lead, ...trail]);
    const stays = (i) => {
      const { partner } = this.allMarks[i];
      return partner !== null && first <= partner && partner < last && !edges.has(partner);
    };
    const [opening, closing] = [lead.find(stays), trail.find(stays)];
    const left = opening === undefined ? begin : this.allMarks[opening].start;
    const right = closing === undefined ? close : this.allMarks[closing].end;
    return makePiece(this.text, left, right, this.allMarks, this.range(left, right));
  }

  /** The numbers of the marks of a part: the first, and the one behind the last. */
  range(start, end) {
    const behind = (place) => {
      const found = this.allMarks.findIndex((mark) => mark.start >= place);
      return found < 0 ? this.allMarks.length : found;
    };
    return [behind(start), behind(end)];
  }

  markAround(place) {
    return this.allMarks.find((mark) => mark.start < place && place < mark.end);
  }

  /** The marks at the beginning (step 1) or the end (-1) of a part, outermost first, and where its words begin. */
  run(start, end, step) {
    const [first, last] = this.range(start, end);
    const numbers = Array.from({ length: last - first }, (_, i) => (step > 0 ? first + i : last - 1 - i));
    const found = [];
    let place = step > 0 ? start : end;
    while (step > 0 ? place < end : place > start) {
      const mark = this.allMarks[numbers[found.length]];
      if (mark && (step > 0 ? mark.start === place : mark.end === place)) {
        if (mark.kind === "WORD" || mark.kind === "CHARACTER") break;
        found.push(numbers[found.length]);
        place = step > 0 ? mark.end : mark.start;
        continue;
      }
      if (!isSpace(this.masked[step > 0 ? place : place - 1])) break;
      place += step;
    }
    return [found, place];
  }
}

/** The text with FILLER or a space for each character of a mark, and HIDDEN for that of a kept word. */
function masked(text, marks) {
  const maskOf = (mark) => {
    const length = mark.end - mark.start;
    if (mark.kind === "WORD") return HIDDEN.repeat(length);
    if (mark.kind === "EMOJI") return EMOJI.padEnd(length, FILLER);
    if (mark.kind === "CHARACTER") return unescaped(text.slice(mark.start, mark.end)).padEnd(length, FILLER);
    return mark.kind === "GAP" ? " ".padEnd(length, FILLER) : FILLER.repeat(length);
  };
  const ends = [0, ...marks.map((mark) => mark.end)];
  const parts = ends.map((end, i) => text.slice(end, marks[i]?.start ?? text.length));
  return parts.map((part, i) => part + (marks[i] ? maskOf(marks[i]) : "")).join("");
}

/** A part of a text without its marks: {start, end, source, text, marks, kept}. */
function makePiece(text, start, end, allMarks, [first, last]) {
  const places = new Map(); // the number among its marks of each mark that has one
  const [marks, spans, emoji] = [[], [], new Set()];
  let [plain, position] = ["", start];
  const write = (part) => { plain += part.replaceAll(HIDDEN, "").normalize("NFC"); };
  for (let i = first; i < last; i++) {
    const mark = allMarks[i];
    const spelled = text.slice(mark.start, mark.end);
    write(text.slice(position, mark.start));
    position = mark.end;
    if (mark.kind === "CHARACTER") {
      write(unescaped(spelled));
    } else if (mark.kind === "WORD" || mark.kind === "EMOJI") {
      if (mark.kind === "EMOJI") emoji.add(spans.length);
      const begin = plain.length;
      write(spelled);
      spans.push([begin, plain.length]);
    } else {
      places.set(i, marks.length);
      marks.push(innerMark(mark, spelled, plain.length, mark.partner >= first && mark.partner < last, text));
      const { spaceBefore, spaceAfter } = marks.at(-1);
      if (marks.at(-1).kind === "GAP" && !spaceBefore && !spaceAfter) write(" ");
    }
  }
  write(text.slice(position, end));
  const inner = marks.map((mark) => ({ ...mark, partner: mark.partner === null ? null : places.get(mark.partner) }));
  return { start, end, source: text.slice(start, end), text: plain, marks: inner, kept: widened(plain, spans, emoji) };
}

function innerMark({ start, end, kind, partner }, spelled, offset, hasPartner, text) {
  const mark = { text: spelled, offset, kind, partner: null, isOrdered: false, spaceBefore: false, spaceAfter: false };
  if (partner !== null && hasPartner) return { ...mark, partner };
  if (kind === "OPEN" || kind === "CLOSE") return { ...mark, kind: "VOID", isOrdered: true };
  return { ...mark, spaceBefore: isSpace(characterBefore(text, start)), spaceAfter: isSpace(text.slice(end, end + 1)) };
}

/** The pieces of a text, sentence by sentence. `limits` has the greatest length, and counts ids. */
function splitPassage(given, limits) {
  const source = new Source(withoutControlCharacters(given).replace(SEPARATORS, " "));
  const pieces = source.lines().flatMap((line) => sentencesOf(source, line))
    .flatMap((sentence) => partsOf(source, sentence, limits))
    .map(([start, end]) => source.piece(start, end))
    .filter(Boolean);
  return { text: source.text, pieces };
}

/** The text with each piece replaced by its output. */
function joinPassage({ text, pieces }, outputs) {
  const ends = [0, ...pieces.map((piece) => piece.end)];
  return ends.map((end, i) => text.slice(end, pieces[i]?.start ?? text.length) + (outputs[i] ?? "")).join("");
}

function sentencesOf(source, [start, end]) {
  const ends = [...sentenceEnds(source.masked.slice(start, end))].map((place) => start + place);
  return [start, ...ends].map((begin, i) => [begin, ends[i] ?? end]);
}

/** A sentence in parts that are not too long. */
function partsOf(source, [start, end], limits) {
  const place = isPossible(source.plain(start, end), limits) ? null : source.cuttingPlace(start, end);
  if (place === null) return [[start, end]];
  return [...partsOf(source, [start, place], limits), ...partsOf(source, [place, end], limits)];
}

/** Whether a text need not be cut. */
function isPossible(text, { maxLength, countIds }) {
  if (2 * [...text].length <= maxLength) return true;
  return countIds(text) <= maxLength && splitWords(text).every((word) => [...word].length <= TABLES.longestWord);
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

/** Whether a full stop after a word belongs to it: the same as text/languages/abbreviations.py, which explains it. */
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
