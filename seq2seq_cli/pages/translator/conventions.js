// A sentence written as those that the model was trained on: the same as text/conventions.py, which explains it.

/** The separators of a number, each as it stands in an example: the same as text/numbers.py, which explains it. */
function separators(number) {
  const plain = withPlainMarks(number);
  const found = EXPRESSIONS.separated.exec(plain);
  const marks = found ? plain.match(EXPRESSIONS.nonDigits) : [];
  return marks.map((mark) => `1${mark}${mark === found.groups.mark ? "000" : "5"}`);
}

/** The usual marks for those that mean the same between digits. */
function withPlainMarks(number) {
  return [...number].map((character) => own(TABLES.plainMarks, character) ?? character).join("");
}

/** Whether a number has nothing but digits and separators. */
function isSeparated(number) {
  return separators(number).length === number.split(EXPRESSIONS.nonDigits).length - 1;
}

/** The separators of a number; the one of 3.141 has decimals after it where only the other one parts thousands. */
function examplesOf(number, forms) {
  const found = separators(number);
  const partsThousands = (example) => example.endsWith("000");
  if (found.length !== 1 || !partsThousands(found[0]) || own(forms, found[0])) return found;
  const decimal = `${found[0].slice(0, -3)}5`;
  return own(forms, decimal) && Object.keys(forms).some(partsThousands) ? [decimal] : found;
}

/** Whether a number has four digits before its decimals, if it has separators of thousands. */
function hasFourDigits(number, examples) {
  const thousands = examples.filter((example) => example.endsWith("000")).length;
  return !thousands || (thousands === 1 && [...number.split(EXPRESSIONS.nonDigits)[0]].length === 1);
}

/** A number with other separators, by their examples. */
function withMarks(number, examples, marks) {
  const [first, ...groups] = number.split(EXPRESSIONS.nonDigits);
  return first + groups.map((group, i) => marks.get(examples[i]) + group).join("");
}

/** The number with the digits 0 to 9 of any script and the usual marks. */
function plainNumber(number) {
  const zeros = [...TABLES.zeros].map((zero) => zero.codePointAt(0));
  const plain = (digit) => digit.codePointAt(0) - zeros.findLast((zero) => zero <= digit.codePointAt(0));
  const characters = [...withPlainMarks(number)];
  return characters.map((each) => (EXPRESSIONS.digit.test(each) ? plain(each) : each)).join("");
}

/** The numbers of a text, with spaces between thousands if one of the forms of its numbers has a space. */
function findNumbers(text, forms) {
  return [...text.matchAll(forms.some((form) => form.includes(" ")) ? EXPRESSIONS.spacedNumber : EXPRESSIONS.number)];
}

class Conventions {
  constructor(data) {
    Object.assign(this, data);
    this.edits = data.space_rules.map(spaceEdit);
    this.usualForms = new Map(data.cased_words.map((form) => [folded(form, data.language), form]));
    this.knownWords = new Set(data.known_words);
    this.contraction = new RegExp(...data.contraction);
  }

  apply(text) {
    const spaced = this.edits.reduce((edited, edit) => edit(edited), normalise(text));
    return normalise(this.restoreCase(this.addFinalMark(this.joinQuotes(spaced))));
  }

  /** The text by the conventions, but for protected spans, which are kept; with the spans in it. */
  applyAround(text, protectedSpans) {
    const [first, ...others] = this.apply(hide(text, protectedSpans)).split(HIDDEN);
    const spans = [];
    let written = first;
    others.forEach((other, number) => {
      const [start, end] = protectedSpans[number];
      spans.push([written.length, written.length + end - start]);
      written += text.slice(start, end) + other;
    });
    return [written, spans];
  }

  /** The spans of the words that are written like names and are unknown: the same as text/conventions.py. */
  newNames(sentence) {
    if (!this.knownWords.size) return [];
    const isKnown = (part) => [...part].length > 1 && this.knownWords.has(folded(part, this.language));
    const isNew = (word) => !word.split(EXPRESSIONS.partEnd).some(isKnown);
    const [opening, first = ""] = EXPRESSIONS.firstName.exec(sentence) ?? [""];
    const [begin, end] = [opening.length - first.length, opening.length];
    const inner = innerCapitals(sentence, this.language)
      .filter((span) => isNew(sentence.slice(...span)) && !(first && span[0] === begin));
    if (!first || !isNew(first) || !isCapitalised(first, this.language)) return inner;
    const isCased = this.usualForms.get(folded(first, this.language)) === first;
    const isBeforeName = inner.length > 0 && EXPRESSIONS.onlySpaces.test(sentence.slice(end, inner[0][0]));
    const isContracted = this.contraction.test(sentence.slice(end - 1));
    return (isCased || isBeforeName) && !isContracted ? [[begin, end], ...inner] : inner;
  }

  /** The ways in which a translation may write a number: the same as text/numbers.py, which explains it. */
  numberForms(number) {
    const parts = number.split(EXPRESSIONS.between);
    const isRange = parts.length === 2 && parts.every(isSeparated);
    const numbers = isRange ? parts : [number];
    const examplesIn = (each) => examplesOf(each, this.number_forms);
    const examples = [...new Set(numbers.flatMap(examplesIn))];
    const isKnown = (example) => own(this.number_forms, example);
    if (!examples.length || !examples.every(isKnown)) return [...new Set([number, plainNumber(number)])];
    const between = number.slice(numbers[0].length, numbers[0].length + 1);
    const isShort = numbers.every((each) => hasFourDigits(each, examplesIn(each)));
    let ways = [new Map()];
    for (const example of examples) {
      const all = this.number_forms[example].split(TABLES.or).map((form) => form.slice(1, form.length - example.length + 2));
      const some = isShort ? all : all.filter((mark) => mark);
      const marks = some.length ? some : all;
      ways = ways.flatMap((chosen) => marks.map((mark) => new Map(chosen).set(example, mark)));
    }
    const written = (chosen) => numbers.map((each) => withMarks(each, examplesIn(each), chosen)).join(between);
    const forms = ways.map(written);
    const mayStay = examples.every((example) => TABLES.staying.includes(example));
    return [...new Set(mayStay ? [...forms, number] : forms)];
  }

  joinQuotes(text) {
    for (const quote of this.quotes) {
      const parts = text.split(quote);
      if (parts.length % 2 && ` ${text} `.includes(` ${quote} `)) {
        text = parts.map((part, i) => (i % 2 ? part.replace(EXPRESSIONS.outerSpaces, "") : part)).join(quote);
      }
    }
    return text;
  }

  addFinalMark(text) {
    const last = [...text].at(-1);
    if (!this.final_mark || !text || !(isInWord(last) || last === HIDDEN)) return text;
    const words = text.split(" ");
    const isMixed = !isLower(text) && !isAllUpper(text);
    const sentence = words.slice(this.sentenceStarts(words, this.final_marks, isMixed).at(-1) ?? 0).join(" ");
    const cues = this.cuesOf(sentence);
    const mark = own(this.endings, cues.longEnding) || own(this.endings, cues.ending)
      || own(this.openings, cues.longOpening) || own(this.openings, cues.opening) || this.final_mark;
    return this.apart_before.includes(mark) ? `${text} ${mark}` : text + mark;
  }

  /** The words that tell a question from a statement. */
  cuesOf(sentence) {
    const words = lower(sentence, this.language).split(" ");
    words[0] = withoutBeginning(words[0], TABLES.inverted) || words[0];
    const characters = [...sentence];
    const [ending, longEnding] = this.spaces
      ? [words.at(-1), words.slice(-2).join(" ")] : [characters.at(-1), characters.slice(-2).join("")];
    return { opening: words[0], longOpening: words.slice(0, 2).join(" "), ending, longEnding };
  }

  restoreCase(text) {
    const isQuiet = isLower(text);
    let words = text.split(" ");
    this.capitaliseAt(words, [0]);
    const isLoud = this.lower_case && isAllUpper(words.join(" "));
    if (isLoud || isQuiet) {
      words = words.map((word) => this.usualCase(word, isLoud));
      this.capitaliseAt(words, [0, ...this.sentenceStarts(words, this.capital_after, false)]);
    }
    return words.join(" ");
  }

  /** The places of words after one that ends a sentence with one of the marks: after "him.", but not "p.m.". */
  sentenceStarts(words, marks, isMixed) {
    const stems = words.map((word) => withoutEnding(word, this.quotes).replace(EXPRESSIONS.marksBefore, ""));
    return [...stems.keys()].slice(1).filter((place) => {
      const [mark, word] = [[...stems[place - 1]].at(-1) ?? "", [...stems[place - 1]].slice(0, -1).join("")];
      if (!mark || !marks.includes(mark) || word.includes(".")) return false;
      const following = [...stems[place]][0] ?? "";
      return mark !== "." || !(isMixed ? hasOwnStop(word, following, stems[place - 2]) : isListed(word, following));
    });
  }

  /** The word as it is inside sentences; in a text in upper case it can have other letters. */
  usualCase(word, isLoud) {
    if (EXPRESSIONS.address.test(word)) return word;
    return (isLoud ? lower(word, this.language) : word).replace(EXPRESSIONS.word, (found) => {
      const form = this.usualForms.get(folded(found, this.language)) ?? found;
      return isLoud || lower(form, this.language) === found ? form : found;
    });
  }

  capitaliseAt(words, places) {
    if (!this.capital_start) return;
    const before = this.after + this.quotes + TABLES.apostrophes;
    for (const place of places) {
      const found = EXPRESSIONS.firstWord.exec(words[place]);
      if (found && isLower(found[2]) && [...found[1]].every((mark) => before.includes(mark))) {
        words[place] = found[1] + capitalise(found[2], this.language) + found[3];
      }
    }
  }
}

/** The spans of the words after others that begin with a capital and have lower-case letters, too. */
function innerCapitals(text, language) {
  return [...text.matchAll(EXPRESSIONS.innerName)]
    .filter(([, word]) => isCapitalised(word, language))
    .map(({ 0: before, 1: word, index }) => [index + before.length, index + before.length + word.length]);
}

function isCapitalised(name, language) {
  const [first, second, third] = name;
  const firstLetters = TABLES.apostrophes.includes(second) ? [first, third] : [first];
  return firstLetters.every((letter) => lower(letter, language) !== letter) && !isAllUpper(name);
}

/** A change to the spaces at marks. */
function spaceEdit({ expression, replacement, inside }) {
  const [found, within] = [new RegExp(...expression), inside && new RegExp(...inside)];
  return (text) => text.replace(found, within ? (part) => part.replace(within, replacement) : replacement);
}

/** The text with HIDDEN in place of each span, and without any of its own. */
function hide(text, spans) {
  const edges = [0, ...spans.flat(), text.length];
  const shown = Array.from({ length: spans.length + 1 }, (_, i) => text.slice(edges[2 * i], edges[2 * i + 1]));
  return shown.map((part) => part.replaceAll(HIDDEN, "")).join(HIDDEN);
}
