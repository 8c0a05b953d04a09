// Words cut into tokens by the rules of a language: the same as text/tokenizer.py, which explains it.

class Tokenizer {
  constructor({ isKnown, exceptions, expressions }) {
    this.isKnown = isKnown;
    this.exceptions = new Map(Object.entries(exceptions)); // to their tokens, between spaces
    this.longestException = Math.max(0, ...[...this.exceptions.keys()].map((word) => word.length));
    const compiled = Object.entries(expressions).map(([kind, pair]) => [kind, new RegExp(...pair)]);
    this.expressions = Object.fromEntries(compiled);
    this.partsOfException = remembered((word) => this.partsOf(word));
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
    const pieces = [];
    let start = 0;
    for (const { 0: infix, index } of word.matchAll(this.expressions.infix)) {
      if (index === 0) continue;
      pieces.push(word.slice(start, index), infix);
      start = index + infix.length;
    }
    return [...pieces, word.slice(start)];
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
    const joined = [...tokens];
    for (const { start, end, text } of apart(spans).sort((a, b) => b.start - a.start)) {
      joined.splice(start, end - start, ...this.exceptions.get(text).split(" "));
    }
    return joined;
  }

  /** The tokens that the expressions alone make of an exception; none where they find nothing to cut off. */
  partsOf(word) {
    const isFound = ["prefix", "suffix", "infix"].some((kind) => word.search(this.expressions[kind]) >= 0);
    return isFound ? this.cut(word, new Map()).join(" ") : "";
  }

  /** The length of the piece that an expression finds; 0 for none. */
  lengthOf(kind, word) {
    return this.expressions[kind].exec(word)?.[0].length ?? 0;
  }

  matches(kind, word) {
    return this.expressions[kind].exec(word)?.index === 0;
  }
}

/** The spans whose ends lie in no span before them. */
function apart(spans) {
  const seen = new Set();
  return spans.filter(({ start, end }) => {
    const isFree = !seen.has(start) && !seen.has(end - 1);
    for (let place = start; place < end; place++) seen.add(place);
    return isFree;
  });
}

/** Cut the full stop off a word in a script that no rules are for, but not off J. or e.g. */
function cutFullStop(token) {
  const characters = [...token];
  const place = characters.indexOf(".");
  if (characters.length < 2 || place < characters.length - 1 || isUpper(characters.at(-2))) return [token];
  return [token.slice(0, -1), "."];
}
