// Words cut into tokens by the rules of a language: the same as text/tokenizer.py, which explains it.

class Tokenizer {
  constructor({ isKnown, exceptions, expressions }) {
    this.isKnown = isKnown;
    this.exceptions = new Map(Object.entries(exceptions)); // to their tokens, between spaces
    this.longestException = Math.max(0, ...[...this.exceptions.keys()].map((word) => word.length));
    const compiled = Object.entries(expressions).map(([kind, pair]) => [kind, new RegExp(...pair)]);
    this.expressions = Object.fromEntries(compiled);
    // The tokens that the expressions alone make of an exception; none where they find nothing to cut off.
    const isFound = (word) => ["prefix", "suffix", "infix"].some((kind) => word.search(this.expressions[kind]) >= 0);
    this.partsOfException = remembered((word) => (isFound(word) ? this.cut(word, new Map()).join(" ") : ""));
  }

  /** The tokens of a text without white space; joined, they are the text again. */
  split(word) {
    if (word.length > TABLES.longestWord && [...word].length > TABLES.longestWord) return [word];
    const tokens = this.joinExceptions(this.cut(word, this.exceptions));
    return this.isKnown ? tokens : tokens.flatMap(cutFullStop);
  }

  /** The tokens of a word before the exceptions that they spell together are joined. */
  cut(word, exceptions) {
    const [prefixes, suffixes] = [[], []];
    let [rest, length] = [word, -1];
    while (rest.length !== length && !exceptions.has(rest) && !this.matches("token_match", rest)) {
      length = rest.length;
      const start = this.lengthOf("prefix", rest);
      const inner = rest.slice(start);
      const end = length - (start && exceptions.has(inner) ? 0 : this.lengthOf("suffix", inner));
      const isPrefixKept = end < length && exceptions.has(rest.slice(0, end));
      prefixes.push(rest.slice(0, isPrefixKept ? 0 : start));
      suffixes.unshift(rest.slice(end));
      rest = rest.slice(isPrefixKept ? 0 : start, end);
    }
    const isWhole = this.matches("token_match", rest) || this.matches("url_match", rest);
    const middle = exceptions.get(rest)?.split(" ") ?? (isWhole ? [rest] : this.cutInfixes(rest));
    return [...prefixes, ...middle, ...suffixes].filter(Boolean);
  }

  cutInfixes(word) {
    const edges = spansOf(this.expressions.infix, word).filter(([start]) => start > 0).flat();
    return [...edges, word.length].map((end, i) => word.slice(edges[i - 1], end));
  }

  /** Give the tokens that together spell an exception its tokens; of two that overlap, the longer one is joined. */
  joinExceptions(tokens) {
    const spans = [];
    for (let start = 0; start < tokens.length; start++) {
      for (let end = start + 1; end <= tokens.length; end++) {
        const parts = tokens.slice(start, end);
        const text = parts.join("");
        if (text.length > this.longestException) break;
        const isOne = this.exceptions.has(text) && this.partsOfException(text) === parts.join(" ");
        if (isOne) spans.push({ start, end, text });
      }
    }
    spans.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
    const joined = tokens.map((token) => [token]);
    const seen = new Set(); // the places of all spans before, joined or not
    for (const { start, end, text } of spans) {
      if (!seen.has(start) && !seen.has(end - 1)) {
        joined.fill([], start, end);
        joined[start] = this.exceptions.get(text).split(" ");
      }
      for (let place = start; place < end; place++) seen.add(place);
    }
    return joined.flat();
  }

  /** The length of the piece that an expression finds; 0 for none. */
  lengthOf(kind, word) {
    return this.expressions[kind].exec(word)?.[0].length ?? 0;
  }

  matches(kind, word) {
    return this.expressions[kind].exec(word)?.index === 0;
  }
}

/** Cut the full stop off a word in a script that no rules are for, but not off J. or e.g. */
function cutFullStop(token) {
  const characters = [...token];
  const place = characters.indexOf(".");
  if (characters.length < 2 || place < characters.length - 1 || isUpper(characters.at(-2))) return [token];
  return [token.slice(0, -1), "."];
}
