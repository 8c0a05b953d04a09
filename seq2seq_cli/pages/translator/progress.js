// The progress of a hypothesis with the terms that it must have: numbers, and words that come through unchanged.
// The same as decoding/search/progress.py and pointer.py, which explain it; a page has no prefix.

/** The number of tokens of all terms of {terms: [{forms, positions}], unknown, continuing, opening, closing}. */
function longestOf({ terms }) {
  return terms.reduce((sum, { forms }) => sum + Math.max(...forms.map((form) => form.length)), 0);
}

class Progress {
  constructor(values) {
    Object.assign(this, values);
  }

  static start(constraints, limit) {
    const unmet = constraints.terms.map((_, number) => number);
    return new Progress({
      constraints, limit, unmet, length: 0, last: null, begun: [], isForced: false, justMet: null, freeGain: 0,
    });
  }

  get isComplete() {
    return !this.unmet.length;
  }

  get stage() {
    const met = this.constraints.terms.length - this.unmet.length;
    const done = this.justMet === null ? Math.max(0, ...this.begun.map((each) => each.done)) : 0;
    return met * (longestOf(this.constraints) + 1) + done;
  }

  get takesAskedOnly() {
    return this.isWithinForced || this.isDue;
  }

  get isWithinForced() {
    return this.isForced && this.begun.length > 0 && this.justMet === null;
  }

  /** Whether the terms that are missing, and EOS, only just fit under the limit. */
  get isDue() {
    const shortest = (term) => Math.min(...this.formsOf(term, null).map((form) => form.length));
    const missing = this.unmet.reduce((sum, term) => sum + shortest(term), 0);
    return missing > 0 && this.length + missing + 1 >= this.limit;
  }

  get gain() {
    const gains = this.begun.map((each) => each.gain);
    return Math.max(...(this.isWithinForced ? gains : [this.freeGain, ...gains]));
  }

  /** The tokens that bring it further. */
  asked() {
    const tokens = this.begun.map(nextToken);
    if (!this.isWithinForced) {
      for (const term of this.unmet) tokens.push(...this.formsOf(term).map((form) => form[0]));
    }
    return [...new Set(tokens)];
  }

  /** The tokens that may not come next. */
  banned() {
    const banned = this.isComplete ? [] : [EOS, ...this.constraints.closing];
    return this.isForced && this.justMet !== null ? [...banned, ...this.constraints.continuing] : banned;
  }

  /** That with one more token; `isFree`: the model would have written it by itself. */
  after(token, isFree, pointer) {
    const { continuing } = this.constraints;
    const begun = this.continued(token, pointer);
    let unmet = this.unmet;
    if (this.justMet !== null && continuing.has(token) && (isFree || begun.length)) {
      unmet = [...unmet, this.justMet].sort((a, b) => a - b);
    }
    if (!this.isWithinForced) begun.push(...this.begunBy(token, pointer));
    const isForced = begun.length > 0 && (this.isWithinForced || !isFree);
    const freeGain = this.freeGain + (pointer ? pointer.other : 0);
    const after = new Progress({
      ...this, unmet, length: this.length + 1, last: token, begun, isForced, justMet: null, freeGain,
    });
    const whole = begun.filter((each) => each.done === each.form.length);
    const isBetter = (a, b) => a.done > b.done || (a.done === b.done && a.gain > b.gain);
    return whole.length ? after.havingMet(whole.reduce((best, each) => (isBetter(each, best) ? each : best))) : after;
  }

  /** That with a form that the last token completes. */
  havingMet(whole) {
    const goesOn = ({ term, form }) => term === whole.term && whole.form.every((token, i) => form[i] === token);
    return new Progress({
      ...this,
      unmet: this.unmet.filter((term) => term !== whole.term),
      begun: this.begun.filter((each) => goesOn(each) && this.constraints.continuing.has(nextToken(each))),
      justMet: whole.term,
      freeGain: whole.gain,
    });
  }

  /** The forms of a term that may begin now. */
  formsOf(term, after = this.last) {
    const { terms, opening, continuing } = this.constraints;
    const isOpen = opening.has(after);
    const found = terms[term].forms.filter((form) => isOpen || !continuing.has(form[0]));
    return found.length ? found : terms[term].forms;
  }

  continued(token, pointer) {
    const begun = this.begun.filter((each) => nextToken(each) === token);
    const gain = pointer && begun.length && this.justMet === null ? pointer.goOn(this.begun.map(nextToken)) : 0;
    return begun.map((each) => ({ ...each, done: each.done + 1, gain: each.gain + gain }));
  }

  begunBy(token, pointer) {
    return this.unmet.flatMap((term) => {
      const forms = this.formsOf(term);
      const found = forms.filter((form) => form[0] === token);
      if (!found.length) return [];
      const gain = this.freeGain + (pointer ? pointer.begin(term, forms.map((form) => form[0])) : 0);
      return found.map((form) => ({ term, form, done: 1, gain }));
    });
  }
}

/** The token that continues a form that is begun; none where it is whole. */
function nextToken({ form, done }) {
  return form[done];
}

/** The attention of a step as a pointer to the terms of a source. */
class Pointer {
  constructor(weights, terms, asked) {
    const onTerms = terms.map(({ positions }) => positions.reduce((sum, place) => sum + weights[place], 0));
    const least = TABLES.leastProbability;
    const log = (probability) => Math.log(Math.min(Math.max(probability, least), 1 - least));
    this.terms = onTerms.map(log);
    this.other = log(1 - onTerms.reduce((sum, weight) => sum + weight, 0));
    this.asked = asked;
  }

  begin(term, firstTokens) {
    const asTerm = this.terms[term] + this.goOn(firstTokens);
    return Math.max(asTerm, this.other) + Math.log1p(Math.exp(-Math.abs(asTerm - this.other)));
  }

  goOn(tokens) {
    const found = [...new Set(tokens)].map((token) => this.asked.get(token));
    const largest = Math.max(...found);
    return -largest - Math.log(found.reduce((sum, logP) => sum + Math.exp(logP - largest), 0));
  }
}
