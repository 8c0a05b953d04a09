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
  const context = { isHtml: EXPRESSIONS.htmlTag.test(text), hasFirst: EXPRESSIONS.first.test(text) };
  const expression = new RegExp(EXPRESSIONS.mark); // with a place of its own
  const [marks, closing] = [[], []];
  for (let place = 0; ;) {
    expression.lastIndex = place;
    const match = expression.exec(text);
    if (!match && !closing.length) return pairMarks(marks);
    const isClosed = closing.length && (!match || match.index >= closing.at(-1).start);
    const mark = isClosed ? closing.pop() : markOf(match, context);
    if (isClosed && mark.start < place) continue; // it is inside of another mark
    place = mark?.end ?? match.index + match[0].length;
    if (mark) marks.push(mark);
    const { label, target, sign, inside } = isClosed ? {} : match.groups;
    if (!(target || sign)) continue;
    const start = place + (label ?? inside).length;
    closing.push({ start, end: start + (target ?? sign).length, kind: "close", name: mark.name });
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
  return { start, end: start + found.length, kind, name: name.toLowerCase() };
}

/** The characters that an entity stands for. */
function unescaped(entity) {
  const content = `x${entity}`; // a space in the beginning would be dropped
  return new DOMParser().parseFromString(content, "text/html").body.textContent.slice(1);
}

/** The marks with the numbers of their partners: each closing mark has the innermost opening one of its name. */
function pairMarks(marks) {
  const [partners, opened] = [new Map(), []];
  marks.forEach(({ kind, name }, i) => {
    if (kind === "open" && opened.length < DEEPEST) opened.push(i);
    const place = kind === "close" ? opened.findLastIndex((other) => marks[other].name === name) : -1;
    if (place < 0) return;
    partners.set(i, opened[place]).set(opened[place], i);
    opened.length = place;
  });
  const kindOf = (kind, i) => (["open", "close"].includes(kind) && !partners.has(i) ? "single" : kind);
  return marks.map((mark, i) => ({ ...mark, kind: kindOf(mark.kind, i), partner: partners.get(i) }));
}

/** The part of a text without these marks, the first of this number: {start, end, source, text, tags, kept}. */
function takeOut(text, start, end, marks, first) {
  const plain = between(text.slice(0, end), [{ end: start }, ...marks]).slice(1);
  const parts = plain.flatMap((part, i) => (i ? [asRead(text, marks[i - 1]), part] : [part]))
    .map((part) => part.replaceAll(HIDDEN, "").normalize("NFC")); // those of odd numbers are of marks
  const places = runningSums(parts.map(({ length }) => length));
  const maskOf = (i) => ({ keep: HIDDEN, emoji: FILLER })[marks[(i - 1) / 2]?.kind];
  const hidden = parts.map((part, i) => maskOf(i)?.repeat(part.length) ?? part).join("");
  const emoji = marks.flatMap(({ kind }, i) => (kind === "emoji" ? [places.slice(2 * i + 1, 2 * i + 3)] : []));
  return {
    start, end,
    source: text.slice(start, end),
    text: parts.join(""),
    tags: tagsOf(text, marks, first, runningSums(parts.map(solidLength)).filter((_, i) => i % 2)),
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

function spacesAround(text, { start, end }) {
  return [text.slice(0, start).slice(-1), text.slice(end, end + 1)].map((side) => isSpace(side));
}

/** Single marks and pairs of marks; `solid` has the number of characters but spaces before each mark. */
function tagsOf(text, marks, first, solid) {
  const [tags, opened] = [[], [-1]];
  marks.forEach((mark, i) => {
    const other = mark.partner - first;
    const partner = marks[other];
    if (["keep", "emoji", "character"].includes(mark.kind)) return;
    if (partner && mark.kind === "close") {
      opened.pop();
      return;
    }
    const [spaceBefore, spaceAfter] = partner ? [false, false] : spacesAround(text, mark);
    tags.push({
      text: text.slice(mark.start, mark.end), close: partner ? text.slice(partner.start, partner.end) : "",
      start: solid[i], end: solid[partner ? other : i],
      parent: opened.at(-1), isGap: mark.kind === "gap", spaceBefore, spaceAfter,
    });
    if (partner) opened.push(tags.length - 1);
  });
  return tags;
}

function keptWords({ text, kept }) {
  return kept.map((span) => text.slice(...span));
}

/** A translation, {text, units, weights, parts, copied}, with the marks and the kept words of its piece. */
function putBack(piece, written) {
  const kept = keptWords(piece);
  const lost = piece.kept.filter((_, i) => !written.copied.includes(i));
  const copied = written.copied.map((i) => kept[i]);
  if (!piece.tags.length && !lost.length) return reveal(written.text, copied);
  const words = spansOf(EXPRESSIONS.words, written.text);
  const root = { start: 0, end: words.length, tag: { start: 0, end: solidLength(piece.text) } };
  const nodes = nodesOf(piece, lost, root);
  placeNodes(nodes, weightsOfWords(words, written), ownersOf(written.parts));
  return withMarks(written.text, words, copied, nodes, root);
}

/** A text with the next of these words in place of each HIDDEN. */
function reveal(text, left) {
  return text.replaceAll(HIDDEN, () => left.shift());
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
  return units.flatMap((unit, i) => Array(solidLength(unit)).fill(i));
}

/** The tags of a piece and its lost words, each as a node below the node that it is inside of, in their order. */
function nodesOf(piece, lost, root) {
  const nodes = [];
  for (const tag of piece.tags) nodes.push({ tag, parent: nodes[tag.parent] ?? root, start: 0, end: 0 });
  const pairs = nodes.filter(({ tag }) => tag.close);
  for (const span of lost) {
    const start = solidLength(piece.text.slice(0, span[0]));
    const tag = { text: piece.text.slice(...span), close: "", start, end: start, spaceBefore: true, spaceAfter: true };
    const parent = pairs.findLast((pair) => pair.tag.start <= start && start < pair.tag.end) ?? root;
    nodes.push({ tag, parent, start: 0, end: 0 });
  }
  return nodes.sort((one, other) => one.tag.start - other.tag.start);
}

/** Find the words that each node goes around, or goes before. */
function placeNodes(nodes, weights, owners) {
  const childAround = (parent, word) =>
    nodes.find((node) => node.parent === parent && node.start <= word && word < node.end);
  const points = nodes.filter((node) => {
    const { tag, parent } = node;
    const inside = owners.slice(tag.start, tag.end);
    const gains = weights.slice(parent.start, parent.end).map((row, i) => (childAround(parent, parent.start + i)
      ? -Infinity : sumOf(row.slice(inside[0], inside.at(-1) + 1)) - sumOf(row) / 2));
    if (!inside.length || !gains.some(Number.isFinite)) return true;
    [node.start, node.end] = largestSpan(gains).map((place) => parent.start + place);
    return false;
  });
  let earliest = 0;
  for (const node of points) {
    const { tag, parent } = node;
    const [part] = owners.slice(tag.start, parent.tag.end);
    node.start = node.end = pointOf(parent, weights, part, earliest, childAround);
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
function pointOf(parent, weights, part, earliest, childAround) {
  if (part === undefined || parent.start === parent.end) return parent.end;
  const column = weights.slice(parent.start, parent.end).map((row) => row[part]);
  const place = Math.max(earliest, parent.start + column.indexOf(Math.max(...column)));
  if (place >= parent.end) return parent.end;
  const child = childAround(parent, place);
  if (!child || child.start === place) return place;
  return child.start >= earliest ? child.start : child.end;
}

/** A translation with the marks of the nodes between its words, and with its kept words. */
function withMarks(text, words, copied, nodes, root) {
  const [starts, ends] = [words.map(([start]) => start), [0, ...words.map(([, end]) => end)]];
  let [written, position] = ["", 0];
  const writeText = (end) => {
    written += reveal(text.slice(position, end), copied);
    position = Math.max(position, end);
  };
  const writeSpace = () => {
    if (written && !written.endsWith(" ")) written += " ";
  };
  /** Write a mark; a single one has the spaces around it that it has in the source. */
  const writeMark = (tag) => {
    if (!tag.spaceBefore && (tag.spaceAfter || tag.isGap)) written = written.replace(/ $/, "");
    if (tag.spaceBefore) writeSpace();
    written += tag.text;
    if (tag.spaceAfter && !TABLES.noSpaceBefore.includes(text[position] ?? "")) writeSpace();
  };
  const writeInside = (parent) => {
    const children = nodes.filter((node) => node.parent === parent);
    for (const child of children.sort((a, b) => a.start - b.start || a.end - b.end)) {
      writeText(child.start < parent.end ? starts[child.start] : ends[child.start]);
      writeMark(child.tag);
      writeInside(child);
      if (child.tag.close) writeText(ends[child.end]);
      written += child.tag.close;
    }
  };
  writeInside(root);
  writeText(text.length);
  return written;
}
