// What comes through a translation: marks and kept words, taken out of a sentence before, and put back after. The same
// as decoding/marks.py and decoding/keep.py, which explain it.

const DEEPEST = 100; // pairs inside one another; deeper ones are single marks
const isGap = (character) => isSpace(character) || character === SPACING;
const solidLength = (text) => [...text].filter((character) => !isGap(character)).length;
const isInSpacedWord = (character) => isInWord(character) && !EXPRESSIONS.unspaced.test(character);
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** The marks of a text in their order, {start, end, kind, name, partner}; they do not overlap. */
function findMarks(text) {
  if ([...text].length <= TABLES.longestWord && !EXPRESSIONS.anyMark.test(text)) return [];
  const context = { isHtml: EXPRESSIONS.htmlTag.test(text), hasFirst: EXPRESSIONS.first.test(text) };
  const expression = new RegExp(EXPRESSIONS.mark); // with a place of its own
  const [marks, closing] = [[], []];
  for (;;) {
    const { lastIndex: place } = expression;
    const match = expression.exec(text);
    if (!match && !closing.length) return pairMarks(marks);
    if (closing.length && (!match || match.index >= closing.at(-1).start)) {
      const mark = closing.pop();
      if (mark.start >= place) marks.push(mark);
      expression.lastIndex = Math.max(place, mark.end * (mark.start >= place));
      continue;
    }
    const { label, target, sign, inside } = match.groups;
    const mark = markOf(match, context);
    if (mark) marks.push(mark);
    if (!mark || !(target || sign)) continue;
    const start = mark.end + (label ?? inside).length;
    closing.push({ start, end: start + (target ?? sign).length, kind: "close", name: mark.name, partner: null });
  }
}

/** The mark that the expression found; null for what is plain text in this text. */
function markOf({ 0: found, index: start, groups }, { isHtml, hasFirst }) {
  const group = Object.keys(TABLES.kinds).find((name) => groups[name] !== undefined);
  if (group === "numbered" && !hasFirst) return null;
  let kind = TABLES.kinds[group];
  if (group === "line" && isHtml) kind = "gap";
  if (group === "entity" && /^(?!&)[\p{L}\p{M}\p{N}\p{P}\p{Z}\p{Cf}]$/v.test(unescaped(found))) kind = "character";
  const name = groups.sign ?? groups.tagName ?? groups.endName ?? group;
  return { start, end: start + found.length, kind, name: name.toLowerCase(), partner: null };
}

/** The characters that an entity stands for. */
function unescaped(entity) {
  const content = `x${entity}`; // a space in the beginning would be dropped
  return new DOMParser().parseFromString(content, "text/html").body.textContent.slice(1);
}

/** The marks with their partners: each closing mark has the innermost opening one of its name. */
function pairMarks(marks) {
  const [partners, opened, counts] = [new Map(), [], new Map()];
  const count = (name, by) => counts.set(name, (counts.get(name) ?? 0) + by);
  marks.forEach(({ kind, name }, i) => {
    if (kind === "open" && opened.length < DEEPEST) {
      opened.push(i);
      count(name, 1);
    } else if (kind === "close" && counts.get(name)) {
      let other;
      do {
        other = opened.pop();
        count(marks[other].name, -1);
      } while (marks[other].name !== name);
      partners.set(i, other).set(other, i);
    }
  });
  const kindOf = (mark, i) => (["open", "close"].includes(mark.kind) && !partners.has(i) ? "single" : mark.kind);
  return marks.map((mark, i) => ({ ...mark, kind: kindOf(mark, i), partner: partners.get(i) ?? null }));
}

/** A part of a text without its marks: {start, end, source, text, tags, kept}. */
function takeOut(text, start, end, allMarks, [first, last]) {
  const marks = allMarks.slice(first, last);
  const [tags, opened, spans, places] = [[], [-1], [], []];
  let [plain, hidden, position] = ["", "", start];
  const write = (part, mask) => {
    const composed = part.replaceAll(HIDDEN, "").normalize("NFC");
    plain += composed;
    hidden += mask?.repeat(composed.length) ?? composed;
  };
  for (const mark of marks) {
    write(text.slice(position, mark.start));
    position = mark.end;
    const begin = plain.length;
    places.push(solidLength(plain));
    write(asRead(text, mark), { keep: HIDDEN, emoji: FILLER }[mark.kind]);
    if (mark.kind === "emoji") spans.push([begin, plain.length]);
  }
  write(text.slice(position, end));
  marks.forEach((mark, i) => {
    const partner = mark.partner === null ? undefined : marks[mark.partner - first];
    if (["keep", "emoji", "character"].includes(mark.kind)) return;
    if (partner && mark.kind === "close") {
      opened.pop();
      return;
    }
    const [spaceBefore, spaceAfter] = partner ? [false, false] : spacesAround(text, mark);
    tags.push({
      ...tagOf(text.slice(mark.start, mark.end), places[i], places[partner ? mark.partner - first : i]),
      close: partner ? text.slice(partner.start, partner.end) : "",
      parent: opened.at(-1), isGap: mark.kind === "gap", spaceBefore, spaceAfter,
    });
    if (partner) opened.push(tags.length - 1);
  });
  spans.push(...[...hidden.matchAll(EXPRESSIONS.widened)].map(({ 0: found, index }) => [index, index + found.length]));
  spans.sort(([one], [other]) => one - other);
  return { start, end, source: text.slice(start, end), text: plain, tags, kept: spans };
}

/** The text that the model reads in place of a mark. */
function asRead(text, mark) {
  const spelled = text.slice(mark.start, mark.end);
  if (mark.kind === "character") return withoutControlCharacters(unescaped(spelled));
  if (mark.kind === "gap") return spacesAround(text, mark).some(Boolean) ? "" : " ";
  return mark.kind === "keep" || mark.kind === "emoji" ? spelled : "";
}

function spacesAround(text, { start, end }) {
  return [text.slice(0, start).slice(-1), text.slice(end, end + 1)].map((side) => isSpace(side));
}

function tagOf(text, start, end) {
  return { text, close: "", start, end, parent: -1, isGap: false, spaceBefore: false, spaceAfter: false };
}

function keptWords({ text, kept }) {
  return kept.map((span) => text.slice(...span));
}

/** A translation, {text, units, weights, parts, copied}, with the marks and the kept words of its piece. */
function putBack(piece, written) {
  const kept = keptWords(piece);
  const lost = [...kept.keys()].filter((i) => !written.copied.includes(i));
  const copied = written.copied.map((i) => kept[i]);
  if (!piece.tags.length && !lost.length) return reveal(written.text, copied);
  const words = wordsOfText(written.text);
  const root = { ...nodeOf(tagOf("", 0, solidLength(piece.text))), end: words.length };
  placeNodes(edgesOf(piece, lost, root), weightsOfWords(words, written), ownersOf(written.parts));
  return new MarkWriter(written.text, words, copied).write(root);
}

/** A text with the next of these words in place of each HIDDEN. */
function reveal(text, left) {
  return text.replaceAll(HIDDEN, () => left.shift());
}

/** The words of a text: what no space and no mark of punctuation parts; characters, in scripts without spaces. */
function wordsOfText(text) {
  const starts = [];
  let [before, place] = [" ", 0];
  for (const after of text) {
    const isJoined = /^\p{M}/v.test(after) || [before, after].includes("\u200d")
      || (isInSpacedWord(before) && isInSpacedWord(after));
    if (!isGap(after) && (isGap(before) || !isJoined)) starts.push(place);
    before = after;
    place += after.length;
  }
  return starts.map((start, i) => [start, start + text.slice(start, starts[i + 1]).trimEnd().length]);
}

/** The mean attention of the characters of each word to each part; without attention, words keep their order. */
function weightsOfWords(words, { text, units, weights, parts }) {
  const columns = [...parts.keys()];
  if (!weights.some((row) => columns.some((part) => row[part]))) return diagonal(words.length, parts.length);
  const owners = ownersOf(units);
  let first = 0;
  return words.map((word) => {
    const length = solidLength(text.slice(...word));
    const ofWord = Array.from({ length }, (_, i) => weights[owners[first + i] ?? owners.at(-1)]);
    first += length;
    return columns.map((part) => sumOf(ofWord.map((row) => row[part])) / length);
  });
}

/** Weights that are largest where both have the same share of their texts before them. */
function diagonal(words, parts) {
  return Array.from({ length: words }, (_, word) => {
    const distance = (part) => (word + 0.5) / words - (part + 0.5) / parts;
    const row = Array.from({ length: parts }, (_, part) => Math.exp(-0.5 * words * parts * distance(part) ** 2));
    return row.map((weight) => weight / sumOf(row));
  });
}

/** The number of the unit that each character but spaces of their text is of. */
function ownersOf(units) {
  return units.flatMap((unit, i) => Array.from({ length: solidLength(unit) }, () => i));
}

/** A tag around some words of the translation, or between two. `inner` has its child around a word. */
function nodeOf(tag) {
  return { tag, start: 0, end: 0, children: [], inner: new Map() };
}

/** The tags of a piece and its lost words below the root, as pairs of a node and its child. */
function edgesOf(piece, lost, root) {
  const edges = [];
  for (const tag of piece.tags) edges.push([tag.parent < 0 ? root : edges[tag.parent][1], nodeOf(tag)]);
  const pairs = edges.map(([, node]) => node).filter(({ tag }) => tag.close);
  for (const [start, end] of lost.map((i) => piece.kept[i])) {
    const place = solidLength(piece.text.slice(0, start));
    const tag = { ...tagOf(piece.text.slice(start, end), place, place), spaceBefore: true, spaceAfter: true };
    const around = pairs.findLast((node) => node.tag.start <= place && place < node.tag.end);
    edges.push([around ?? root, nodeOf(tag)]);
  }
  edges.sort(([, one], [, other]) => one.tag.start - other.tag.start);
  for (const [parent, node] of edges) parent.children.push(node);
  return edges;
}

/** Find the words that each node goes around, or goes before. */
function placeNodes(edges, weights, owners) {
  const points = [];
  for (const [parent, node] of edges) {
    const inside = owners.slice(node.tag.start, node.tag.end);
    if (!inside.length || parent.inner.size === parent.end - parent.start) {
      points.push([parent, node]);
      continue;
    }
    const gains = weights.slice(parent.start, parent.end).map((row, i) => (parent.inner.has(parent.start + i)
      ? -Infinity : sumOf(row.slice(inside[0], inside.at(-1) + 1)) - sumOf(row) / 2));
    const [start, end] = largestSpan(gains);
    [node.start, node.end] = [parent.start + start, parent.start + end];
    for (let word = node.start; word < node.end; word++) parent.inner.set(word, node);
  }
  let earliest = 0;
  for (const [parent, node] of points) {
    node.start = node.end = pointOf(parent, weights, owners.slice(node.tag.start, parent.tag.end)[0], earliest);
    earliest = Math.max(earliest, node.start);
  }
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

/** The word before which a node goes that goes around none. */
function pointOf(parent, weights, part, earliest) {
  if (part === undefined || parent.start === parent.end) return parent.end;
  const column = weights.slice(parent.start, parent.end).map((row) => row[part]);
  const place = Math.max(earliest, parent.start + column.indexOf(Math.max(...column)));
  if (place >= parent.end) return parent.end;
  const child = parent.inner.get(place);
  if (!child || child.start === place) return place;
  return child.start >= earliest ? child.start : child.end;
}

/** Writes a translation and the marks between its words. */
class MarkWriter {
  constructor(text, words, copied) {
    const [starts, ends] = [words.map(([start]) => start), [0, ...words.map(([, end]) => end)]];
    Object.assign(this, { text, starts, ends, copied, written: "", position: 0 });
  }

  write(root) {
    this.writeInside(root);
    this.writeText(this.text.length);
    return this.written;
  }

  writeInside(node) {
    for (const child of [...node.children].sort((a, b) => a.start - b.start || a.end - b.end)) {
      this.writeText(child.start < node.end ? this.starts[child.start] : this.ends[child.start]);
      this.writeMark(child.tag);
      this.writeInside(child);
      if (child.tag.close) this.writeText(this.ends[child.end]);
      this.written += child.tag.close;
    }
  }

  writeText(end) {
    this.written += reveal(this.text.slice(this.position, end), this.copied);
    this.position = Math.max(this.position, end);
  }

  /** Write a mark; a single one has the spaces around it that it has in the source. */
  writeMark({ text, isGap: partsWords, spaceBefore, spaceAfter }) {
    if (!spaceBefore && (spaceAfter || partsWords)) this.written = this.written.replace(/ $/, "");
    if (spaceBefore) this.writeSpace();
    this.written += text;
    if (spaceAfter && !TABLES.noSpaceBefore.includes(this.text[this.position] ?? "")) this.writeSpace();
  }

  writeSpace() {
    if (this.written && !this.written.endsWith(" ")) this.written += " ";
  }
}
