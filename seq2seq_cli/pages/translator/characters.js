// Characters as Python sees them, and lower and upper case by the rules of a language: text/characters.py.

const EXPRESSIONS = {}; // by name: Python's, as decoding/page/export_page.py writes them
const TABLES = {}; // by name: likewise
const SPACING = "\u2581"; // the mark of a space in a unit
const CONTINUING = "\u258f"; // the mark of a unit that is not the first of its token
const BEGINNING = "\u2595"; // the mark of a text's first token, where it has a case
const HIDDEN = "\ufdd0"; // stands for a kept word of a text

const isSpace = (character) => EXPRESSIONS.space.test(character);
const isPunctuation = (text) => /^(?:\p{P}|[!-\/:-@\[-`\{-~]|\u2581)*$/v.test(text);
const isInWord = (character) => /^[\p{L}\p{N}\p{M}]/v.test(character);
const isUpper = (text) => /\p{Uppercase}/v.test(text) && !/[\p{Lowercase}\p{Lt}]/v.test(text);
const isLower = (text) => /\p{Lowercase}/v.test(text) && !/[\p{Uppercase}\p{Lt}]/v.test(text);
/** Whether a text has two letters or more, all of them upper case. */
const isAllUpper = (text) => isUpper(text) && /\p{Lu}.*\p{Lu}/sv.test(text) && !/\p{Lo}/v.test(text);

/** The parts of a text between white space. */
const splitWords = (text) => text.split(EXPRESSIONS.space).filter(Boolean);
const withoutControlCharacters = (text) => text.replace(EXPRESSIONS.dropped, "");

/** One spelling for each text. */
function normalise(text) {
  return splitWords(withoutControlCharacters(text)).join(" ").normalize("NFC")
    .replaceAll(SPACING, "_").replaceAll(CONTINUING, "|").replaceAll(BEGINNING, "|");
}

/** The parts of a text between some spans, {start, end}. */
function between(text, spans) {
  const ends = [0, ...spans.map(({ end }) => end)];
  return ends.map((end, i) => text.slice(end, spans[i]?.start));
}

function lower(text, language) {
  if (TABLES.dotted.includes(language)) text = text.replaceAll("\u0130", "i").replaceAll("I", "\u0131");
  return text.toLowerCase();
}

function upper(text, language) {
  if (TABLES.dotted.includes(language)) text = text.replaceAll("i", "\u0130");
  return text.toUpperCase().normalize("NFC");
}

/** The word with its first letter as at the start of a sentence. */
function capitalise(word, language) {
  if (language === "nl" && word.startsWith("ij")) return `IJ${word.slice(2)}`.normalize("NFC"); // one letter
  const [first = ""] = word;
  const title = TABLES.titles[first] ?? upper(first, language);
  return (title + word.slice(first.length)).normalize("NFC");
}

/** The text with its first letter in lower case. */
function smallFirst(text, language) {
  if (language === "nl" && text.startsWith("IJ")) return `ij${text.slice(2)}`; // one letter
  const [first = ""] = text;
  return lower(first, language) + text.slice(first.length);
}

/** A text split where `parts` split its lower-cased form, or the text itself: one piece per part. */
function splitLike(text, parts, language) {
  let ends = runningSums(parts.map((part) => part.length));
  if (ends.at(-1) !== text.length) {
    const begins = runningSums([...text].map((character) => lower(character, language).length));
    const places = runningSums([...text].map((character) => character.length));
    ends = ends.map((end) => places[begins.findIndex((begin) => begin >= end)] ?? text.length);
  }
  return parts.map((_, i) => text.slice(ends[i], ends[i + 1]));
}

/** 0 and the sums of the first one, two, ... numbers. */
function runningSums(numbers) {
  const sums = [0];
  for (const number of numbers) sums.push(sums.at(-1) + number);
  return sums;
}
