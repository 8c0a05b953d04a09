// Marks and kept words put back into a translation by the attention weights: the same as decoding/passages/restore.py
// and word_weights.py, which explain it.

const isGap = (character) => isSpace(character) || character === SPACING;
const solidLength = (text) => [...text].filter((character) => !isGap(character)).length;
const isInSpacedWord = (character) => isInWord(character) && !EXPRESSIONS.unspaced.test(character);
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** The number of entries of a sorted list that are at most a value. */
function countUpTo(sorted, value) {
  return sorted.filter((entry) => entry <= value).length;
}

/** The words of a translation, and how much they attend to parts of the source. */
class WordWeights {
  constructor(source, text, srcParts, tgtUnits, attention) {
    Object.assign(this, { source, text, srcParts, tgtUnits, attention });
    this.characters = [...text];
    this.solid = [...this.characters.keys()].filter((place) => !isGap(this.characters[place]));
    this.partStarts = runningSums(srcParts.map(solidLength));
    this.unitStarts = runningSums(tgtUnits.map(solidLength)).slice(0, -1);
    this.words = this.findWords();
    this.weights = this.findWeights();
  }

  /** The places of the words in the characters of the translation. */
  findWords() {
    const starts = this.unitStarts.filter((start) => start < this.solid.length);
    const places = new Set(starts.filter((start) => start === 0 || this.mayPart(this.solid[start])));
    const begins = [...places].sort((a, b) => a - b);
    return begins.map((begin, i) => [this.solid[begin], this.solid[(begins[i + 1] ?? this.solid.length) - 1] + 1]);
  }

  mayPart(place) {
    const [before, after] = [this.characters[place - 1], this.characters[place]];
    if (/\p{M}/v.test(after) || [before, after].includes("\u200d")) return false;
    return !(isInSpacedWord(before) && isInSpacedWord(after));
  }

  /** The mean attention of the units of each word to each part; a diagonal where there is none at all. */
  findWeights() {
    const [words, parts] = [this.words.length, this.srcParts.length];
    if (!words || !this.attention.some((row) => row.slice(0, parts).some(Boolean))) return diagonal(words, parts);
    const starts = this.words.map(([start]) => start);
    const rows = this.words.map(() => []);
    this.unitStarts.forEach((begin, unit) => {
      if (!this.attention[unit] || !solidLength(this.tgtUnits[unit]) || begin >= this.solid.length) return;
      rows[countUpTo(starts, this.solid[begin]) - 1].push(this.attention[unit]);
    });
    return rows.map((own) => Array.from({ length: parts }, (_, part) =>
      sumOf(own.map((row) => row[part])) / Math.max(1, own.length)));
  }

  /** The number of the part of the source that holds its first character from an offset on. */
  partAt(offset) {
    const place = solidLength(this.source.slice(0, offset));
    return place < this.partStarts.at(-1) ? countUpTo(this.partStarts, place) - 1 : this.srcParts.length;
  }

  /** The parts that have a character between two offsets of the source: the first, and the one behind the last. */
  partsBetween(start, end) {
    const first = this.partAt(start);
    const last = countUpTo(this.partStarts, solidLength(this.source.slice(0, end)) - 1);
    return [first, Math.max(first, Math.min(last, this.srcParts.length))];
  }
}

/** Weights that are largest where both have the same share of their texts before them. */
function diagonal(words, parts) {
  return Array.from({ length: words }, (_, word) => {
    const distance = (part) => (word + 0.5) / words - (part + 0.5) / parts;
    const row = Array.from({ length: parts }, (_, part) => Math.exp(-0.5 * words * parts * distance(part) ** 2));
    return row.map((weight) => weight / sumOf(row));
  });
}

/** A translation with the marks and the kept words of its piece; those numbered in `copied` are HIDDEN in it. */
function restore(piece, weighed, copied) {
  const words = keptWords(piece);
  const shape = { kind: "WORD", partner: null, isOrdered: false, spaceBefore: true, spaceAfter: true };
  const lost = words.map((text, i) => ({ ...shape, text, offset: piece.kept[i][0] }))
    .filter((_, i) => !copied.includes(i));
  const left = copied.map((i) => words[i]);
  if (!piece.marks.length && !lost.length) return reveal(weighed.text, left);
  const root = markTree(piece, lost, weighed);
  placeNodes(root, weighed.weights);
  return new MarkWriter(weighed, left).write(root);
}

function keptWords({ text, kept }) {
  return kept.map((span) => text.slice(...span));
}

/** A text with the next of these words in place of each HIDDEN. */
function reveal(text, left) {
  return text.replaceAll(HIDDEN, () => left.shift());
}

/** A pair of marks and what is between them, or a mark by itself, around some words of the translation. */
function nodeOf(mark, parts, parent = null) {
  return { mark, parts, parent, close: "", children: [], start: 0, end: 0 };
}

/** The node of the whole piece. */
function markTree(piece, lost, weighed) {
  const root = nodeOf({ text: "", kind: "OPEN" }, [0, weighed.srcParts.length]);
  const opened = [root];
  for (const mark of [...piece.marks, ...lost].sort((a, b) => a.offset - b.offset)) {
    if (mark.kind === "CLOSE") {
      opened.pop().close = mark.text;
      continue;
    }
    const end = mark.partner === null ? mark.offset : piece.marks[mark.partner].offset;
    const node = nodeOf(mark, weighed.partsBetween(mark.offset, end), opened.at(-1));
    opened.at(-1).children.push(node);
    if (mark.kind === "OPEN") opened.push(node);
  }
  return root;
}

/** The nodes below a node, each after its parent, in the order of the source. */
function nodesBelow(node) {
  return node.children.flatMap((child) => [child, ...nodesBelow(child)]);
}

/** Find the words that each node goes around, or goes before. */
function placeNodes(root, weights) {
  root.end = weights.length;
  const owners = weights.map(() => root);
  const points = [];
  for (const node of nodesBelow(root)) {
    const { parent, parts: [first, last] } = node;
    const inside = Array.from({ length: parent.end - parent.start }, (_, i) => parent.start + i);
    if (first === last || !inside.some((word) => owners[word] === parent)) {
      points.push(node);
      continue;
    }
    const gains = inside.map((word) => (owners[word] === parent
      ? sumOf(weights[word].slice(first, last)) - sumOf(weights[word]) / 2 : -Infinity));
    const [start, end] = largestSpan(gains);
    node.start = parent.start + start;
    node.end = parent.start + end;
    owners.fill(node, node.start, node.end);
  }
  let earliest = 0;
  for (const node of points) {
    node.start = node.end = pointOf(node, weights, owners, node.mark.isOrdered ? earliest : 0);
    if (node.mark.isOrdered) earliest = node.start;
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
function pointOf({ parent, parts: [part] }, weights, owners, earliest) {
  if (parent.start === parent.end || part >= parent.parts[1]) return parent.end;
  const column = weights.slice(parent.start, parent.end).map((row) => row[part]);
  const place = Math.max(earliest, parent.start + column.indexOf(Math.max(...column)));
  if (place >= parent.end) return parent.end;
  let owner = owners[place];
  while (owner !== parent && owner.parent !== parent) owner = owner.parent;
  if (owner === parent || owner.start === place) return place;
  return owner.start < earliest ? owner.end : owner.start;
}

/** Writes the words of a translation and the marks between them. */
class MarkWriter {
  constructor(weighed, copied) {
    Object.assign(this, { weighed, copied, written: "", nextGap: 0, needsSpace: false });
  }

  write(node) {
    this.writeMark(node.mark, node.start);
    let place = node.start;
    for (const child of [...node.children].sort((a, b) => a.start - b.start || a.end - b.end)) {
      for (; place < child.start; place++) this.writeWord(place);
      this.write(child);
      place = child.end;
    }
    for (; place < node.end; place++) this.writeWord(place);
    this.written += node.close;
    return this.written;
  }

  writeWord(word) {
    this.writeGap(word);
    const text = this.weighed.characters.slice(...this.weighed.words[word]).join("");
    if (this.needsSpace && !TABLES.noSpaceBefore.includes(text[0])) this.writeSpace();
    this.needsSpace = false;
    this.written += reveal(text, this.copied);
  }

  writeMark(mark, word) {
    if (!mark.text) return;
    if (mark.kind === "GAP") this.nextGap += word === this.nextGap ? 1 : 0;
    else if (mark.spaceBefore || !mark.spaceAfter) this.writeGap(word);
    if (this.needsSpace || mark.spaceBefore) this.writeSpace();
    this.written += mark.text;
    this.needsSpace = mark.spaceAfter;
  }

  /** Write the white space before a word, once. */
  writeGap(word) {
    const { words } = this.weighed;
    if (word !== this.nextGap || word >= words.length) return;
    this.nextGap += 1;
    if (word > 0 && words[word - 1][1] < words[word][0]) this.writeSpace();
  }

  writeSpace() {
    if (this.written && !this.written.endsWith(" ")) this.written += " ";
  }
}
