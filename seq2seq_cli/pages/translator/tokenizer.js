// Words cut into tokens by the rules of a language: the same as text/tokenizer.py, which explains it.

class Tokenizer {
  constructor({ is_known, exceptions, expressions }) {
    this.isKnown = is_known;
    this.exceptions = new Map(Object.entries(exceptions).map(([word, tokens]) => [word, tokens.split(" ")]));
    this.longestException = Math.max(0, ...[...this.exceptions.keys()].map((word) => word.length));
    const compiled = Object.entries(expressions).map(([kind, pair]) => [kind, new RegExp(...pair)]);
    this.expressions = Object.fromEntries(compiled);
    this.partsOfException = new Map();
  }

  /** The tokens of a text without white space; joined, they are the text again. */
  split(word) {
    if (word.length > TABLES.longestWord && [...word].length > TABLES.longestWord) return [word];
    const tokens = this.joinExceptions(this.cut(word, this.exceptions));
    return this.isKnown ? tokens : tokens.flatMap(cutFullStop);
  }

  /** The tokens of a word before the exceptions that they spell together are joined. */
  cut(word, exceptions) {
    const { prefixes, suffixes, rest } = this.cutAffixes(word, exceptions);
    let middle = exceptions.get(rest);
    if (!middle && rest === "") middle = [];
    if (!middle && (this.matches("token_match", rest) || this.matches("url_match", rest))) middle = [rest];
    return [...prefixes, ...(middle ?? this.cutInfixes(rest)), ...suffixes.reverse()];
  }

  cutAffixes(word, exceptions) {
    const [prefixes, suffixes] = [[], []];
    let length = 0;
    while (word && word.length !== length) {
      if (exceptions.has(word) || this.matches("token_match", word)) break;
      length = word.length;
      const prefix = word.slice(0, this.lengthOf("prefix", word));
      const withoutPrefix = word.slice(prefix.length);
      if (prefix && exceptions.has(withoutPrefix)) {
        prefixes.push(prefix);
        return { prefixes, suffixes, rest: withoutPrefix };
      }
      const size = this.lengthOf("suffix", withoutPrefix);
      const suffix = word.slice(word.length - size);
      const withoutSuffix = word.slice(0, word.length - size);
      if (suffix && exceptions.has(withoutSuffix)) {
        suffixes.push(suffix);
        return { prefixes, suffixes, rest: withoutSuffix };
      }
      word = withoutPrefix.slice(0, withoutPrefix.length - size);
      if (prefix) prefixes.push(prefix);
      if (suffix) suffixes.push(suffix);
    }
    return { prefixes, suffixes, rest: word };
  }

  cutInfixes(word) {
    const pieces = [];
    let start = 0;
    for (const infix of this.expressions.infix ? word.matchAll(this.expressions.infix) : []) {
      if (infix.index === 0) continue;
      pieces.push(word.slice(start, infix.index), infix[0]);
      start = infix.index + infix[0].length;
    }
    return [...pieces, word.slice(start)].filter(Boolean);
  }

  /** Give the tokens that together spell an exception its tokens; of two that overlap, the longer one is joined. */
  joinExceptions(tokens) {
    const spans = [];
    for (let start = 0; start < tokens.length; start++) {
      let text = "";
      for (let end = start; end < tokens.length && text.length + tokens[end].length <= this.longestException; end++) {
        text += tokens[end];
        if (this.exceptions.has(text) && sameItems(this.partsOf(text), tokens.slice(start, end + 1))) {
          spans.push({ start, end: end + 1 });
        }
      }
    }
    if (!spans.length) return tokens;
    spans.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
    const ends = new Map(apart(spans).map(({ start, end }) => [start, end]));
    const result = [];
    for (let at = 0; at < tokens.length;) {
      const end = ends.get(at);
      result.push(...(end ? this.exceptions.get(tokens.slice(at, end).join("")) : [tokens[at]]));
      at = end ?? at + 1;
    }
    return result;
  }

  /** The tokens that the expressions alone make of an exception; none where they find nothing to cut off. */
  partsOf(word) {
    if (!this.partsOfException.has(word)) {
      const isFound =
        this.lengthOf("prefix", word) || this.lengthOf("suffix", word) || word.search(this.expressions.infix) >= 0;
      this.partsOfException.set(word, isFound ? this.cut(word, new Map()) : []);
    }
    return this.partsOfException.get(word);
  }

  /** The length of the piece that an expression finds; 0 for none. */
  lengthOf(kind, word) {
    return this.expressions[kind]?.exec(word)?.[0].length ?? 0;
  }

  matches(kind, word) {
    return this.expressions[kind]?.exec(word)?.index === 0;
  }
}

function sameItems(some, others) {
  return some.length === others.length && some.every((item, i) => item === others[i]);
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
