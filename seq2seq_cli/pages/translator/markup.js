// The marks of a text: HTML tags and entities, Markdown, line breaks, addresses. The same as
// decoding/passages/markup.py and kept.py, which explain it. A mark is {start, end, kind, name, partner}.

const FILLER = "\0"; // stands for a character of a mark in a text that is searched

/** The marks of a text in their order; they do not overlap. */
function findMarks(text) {
  const marks = EXPRESSIONS.anyMark.test(text) ? new MarkScanner(text).marks() : [];
  if (text.length > TABLES.longestWord) marks.push(...unbrokenRuns(text, marks));
  return pairMarks(text, marks.sort((a, b) => a.start - b.start));
}

/** The runs of text between the marks that are too long for a word, and have no place to cut them. */
function unbrokenRuns(text, marks) {
  const ends = [0, ...marks.map((mark) => mark.end)];
  return ends.flatMap((end, i) => {
    const runs = text.slice(end, marks[i]?.start).matchAll(EXPRESSIONS.unbroken);
    return [...runs].map((run) => markAt(end + run.index, end + run.index + run[0].length, "WORD"));
  });
}

function markAt(start, end, kind, name = "") {
  return { start, end, kind, name, partner: null };
}

class MarkScanner {
  constructor(text) {
    this.text = text;
    this.endless = new Set(); // ends that do not occur in the rest of the text
    this.expression = new RegExp(EXPRESSIONS.mark); // with a place of its own
    this.isHtml = EXPRESSIONS.htmlTag.test(text);
    this.hasFirst = [...text.matchAll(EXPRESSIONS.numbered)].some(([found]) => found === "$1");
  }

  marks() {
    const marks = [];
    let match;
    while ((match = this.expression.exec(this.text))) {
      const [mark, last] = [this.markOf(match), marks.at(-1)];
      this.expression.lastIndex = mark ? mark.end : match.index + match[0].length;
      const isMore = mark?.kind === "WORD" && last?.kind === "WORD" && last.end === mark.start;
      if (isMore) last.end = mark.end;
      else if (mark) marks.push(mark);
    }
    return marks;
  }

  markOf(match) {
    const [start, end] = [match.index, match.index + match[0].length];
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    if (kind in TABLES.simpleMarks) return markAt(start, end, ...TABLES.simpleMarks[kind]);
    if (kind === "word") {
      const { length } = withoutFinalMarks(match[0]);
      return [...match[0].slice(0, length)].length > 1 ? markAt(start, start + length, "WORD") : null;
    }
    return this[kind](start, end);
  }

  /** The signs before the words of a line; a number before a text of one line may be an ordinal: "3. Mai". */
  lead(start, end) {
    const lead = this.text.slice(start, end);
    const isOrdinal = TABLES.abbreviations.includes("0") && !this.text.includes("\n");
    const length = isOrdinal ? lead.replace(EXPRESSIONS.leadNumber, "").length : lead.length;
    return length ? markAt(start, start + length, "BREAK") : null;
  }

  /** The end of a line, or a tab; in HTML, only an empty line parts the text. */
  line(start, end) {
    const isGap = this.isHtml && !EXPRESSIONS.paragraphEnd.test(this.text.slice(start, end));
    return markAt(start, end, isGap ? "GAP" : "BREAK");
  }

  numbered(start, end) {
    return this.hasFirst ? markAt(start, end, "WORD") : null;
  }

  /** The end of the next occurrence; null where there is none. */
  find(what, start, ignoreCase = false) {
    if (this.endless.has(what)) return null;
    const found = ignoreCase ? findIgnoringCase(this.text, what, start) : this.text.indexOf(what, start);
    if (found >= 0) return found + what.length;
    this.endless.add(what);
    return null;
  }

  fence(start, end) {
    const close = this.find(`\n${this.text.slice(start, end).trimStart().slice(0, 3)}`, end);
    const lineEnd = close === null ? -1 : this.text.indexOf("\n", close);
    return markAt(start, lineEnd < 0 ? this.text.length : lineEnd, "BREAK");
  }

  comment(start, end) {
    const close = this.find(TABLES.comments[this.text.slice(start, end)], end);
    return close === null ? null : markAt(start, close, "VOID");
  }

  tag(start, end) {
    const tag = this.text.slice(start, end);
    const closes = tag.startsWith("</");
    const name = tag.slice(closes ? 2 : 1).split(EXPRESSIONS.tagEnd)[0].toLowerCase();
    const isIn = (names) => TABLES[names].includes(name);
    const isAlone = tag.endsWith("/>") || isIn("void") || isIn("gaps");
    if (!closes && !isAlone && (isIn("rawBlocks") || isIn("rawWords"))) {
      const close = this.find(`</${name}>`, end, true);
      if (close !== null) return markAt(start, close, isIn("rawBlocks") ? "BREAK" : "WORD");
    }
    if (isIn("blocks") || isIn("rawBlocks")) return markAt(start, end, "BREAK");
    if (isAlone) return markAt(start, end, isIn("gaps") ? "GAP" : "VOID");
    return markAt(start, end, closes ? "CLOSE" : "OPEN", name);
  }

  entity(start, end) {
    const character = unescaped(this.text.slice(start, end));
    if (character === null) return null;
    const isWithin = EXPRESSIONS.wordHere.test(this.before(start)) && EXPRESSIONS.wordHere.test(this.text.slice(end));
    const isApostrophe = TABLES.apostrophes.includes(character) && isWithin;
    const isPart = [...character].length === 1 && (isLetter(character) || isApostrophe);
    return markAt(start, end, isPart ? "CHARACTER" : [...character].every(isSpace) ? "GAP" : "VOID");
  }

  code(start, end) {
    const ticks = this.text.slice(start, end);
    if (EXPRESSIONS.wordHere.test(this.before(start)) || ticks.length > 2 || this.endless.has(ticks)) return null;
    const close = this.text.slice(end).match(ticks.length === 1 ? /(?<!`)`(?!`)/v : /(?<!`)``(?!`)/v);
    if (!close) {
      this.endless.add(ticks);
      return null;
    }
    const after = end + close.index + ticks.length;
    const isInLine = !this.text.slice(end, end + close.index).includes("\n");
    const isPlain = isInLine && !EXPRESSIONS.wordHere.test(this.text.slice(after));
    return isPlain ? markAt(start, after, "WORD") : null;
  }

  emphasis(start, end) {
    const [before, after] = [this.before(start), [...this.text.slice(end, end + 2)][0] ?? ""];
    const opens = after !== "" && !isSpace(after) && !EXPRESSIONS.wordHere.test(before);
    const closes = before !== "" && !isSpace(before) && !EXPRESSIONS.wordHere.test(after);
    if (!opens && !closes) return null;
    return markAt(start, end, opens && closes ? "EITHER" : opens ? "OPEN" : "CLOSE", this.text.slice(start, end));
  }

  /** The character before a place. */
  before(place) {
    return [...this.text.slice(Math.max(0, place - 2), place)].at(-1) ?? "";
  }
}

function findIgnoringCase(text, what, start) {
  for (let at = text.indexOf("<", start); at >= 0; at = text.indexOf("<", at + 1)) {
    if (text.slice(at, at + what.length).toLowerCase() === what) return at;
  }
  return -1;
}

/** The characters that an entity stands for; null for a name that HTML does not have. */
function unescaped(entity) {
  const text = new DOMParser().parseFromString(entity, "text/html").documentElement.textContent;
  // HTML reads the beginning of some unknown names as a known one: &copyright; as &copy right;
  const isUnknown = text === entity || (text.length > 1 && text.endsWith(";"));
  return isUnknown ? null : text;
}

/** Each opening mark and the closing one of its name as partners; a Markdown mark without one is plain text. */
function pairMarks(text, marks) {
  const partners = partnersOf(text, marks);
  const kept = [...marks.keys()].filter((i) => partners.has(i) || !isMarkdown(marks[i]));
  const index = new Map(kept.map((old, number) => [old, number]));
  return kept.map((i) => {
    const partner = partners.get(i);
    if (partner === undefined) return marks[i];
    return { ...marks[i], kind: partner > i ? "OPEN" : "CLOSE", partner: index.get(partner) };
  });
}

function isMarkdown({ kind, name }) {
  return ["OPEN", "CLOSE", "EITHER"].includes(kind) && (name === TABLES.link || !isLetter(name));
}

function partnersOf(text, marks) {
  const [partners, opened, counts] = [new Map(), [], new Map()];
  const count = (key, by) => counts.set(key, (counts.get(key) ?? 0) + by);
  let paragraph = 0;
  for (const [i, mark] of marks.entries()) {
    const spelled = text.slice(mark.start, mark.end);
    if (mark.kind === "BREAK" && spelled.replace(/^\r+|\r+$/g, "") !== "\n") paragraph += 1;
    const key = JSON.stringify([mark.name, isMarkdown(mark) ? paragraph : 0]);
    if (["CLOSE", "EITHER"].includes(mark.kind) && counts.get(key)) {
      let other;
      do {
        other = opened.pop();
        count(other.key, -1);
      } while (other.key !== key);
      if (spelled !== "]") partners.set(i, other.i).set(other.i, i);
    } else if (["OPEN", "EITHER"].includes(mark.kind)) {
      opened.push({ i, key });
      count(key, 1);
    }
  }
  return partners;
}

/** A kept span without the punctuation of the sentence around it. */
function withoutFinalMarks(span) {
  const countOf = (mark) => span.split(mark).length;
  const excess = Object.fromEntries(
    Object.entries(TABLES.brackets).map(([close, open]) => [close, countOf(close) - countOf(open)]));
  let end = span.length;
  for (; end; end--) {
    const last = span[end - 1];
    if (!TABLES.trailingMarks.includes(last) && !(own(excess, last) > 0)) break;
    excess[last] -= 1;
  }
  return span.slice(0, end);
}

/** The spans with what belongs to them: letters and digits that touch them, and brackets and quotes around them. */
function widened(text, spans, emoji) {
  const wider = [];
  spans.forEach(([start, end], i) => {
    if (emoji.has(i)) {
      wider.push([start, end]);
      return;
    }
    const [first, last] = [wider.at(-1)?.[1] ?? 0, spans[i + 1]?.[0] ?? text.length];
    while (start > first && isInCasedWord(text, start, -1)) start -= characterBefore(text, start).length;
    while (end < last && isInCasedWord(text, end, 1)) end += String.fromCodePoint(text.codePointAt(end)).length;
    while (start > first && TABLES.opening.includes(text[start - 1])) {
      start -= 1;
      if (end < last && text[end] === own(TABLES.closing, text[start])) end += 1;
    }
    wider.push([start, end]);
  });
  return wider;
}

function characterBefore(text, place) {
  return [...text.slice(Math.max(0, place - 2), place)].at(-1);
}

/** Whether the character before or after a place is a digit, or a letter of a script with cases. */
function isInCasedWord(text, place, step) {
  const character = step < 0 ? characterBefore(text, place) : String.fromCodePoint(text.codePointAt(place));
  return EXPRESSIONS.digit.test(character) || isLower(character) || isUpper(character);
}
