// Beam search for one source, the same as decoding/search, which explains it.

const [FEW_BANS, GROWTH] = [32, 8];

/** The best hypothesis for a source of ids without EOS: {ids, isEnded, logProbabilities, weights}. */
function search(engine, source, options, mostUnknown) {
  const rules = rulesOf(source, options, mostUnknown);
  const finished = new Finished(rules, options);
  const coverage = new Float64Array(source.length + 1);
  let rows = [{ token: BOS, parent: null, history: [], total: 0, coverage }];
  let state = engine.start(source);
  while (rows.length) {
    const [proposals, after] = propose(engine, rows, state, rows.map((row) => bansOf(row, rules)), options);
    const candidates = bestOf(proposals, options.beam_size);
    for (const [number, row] of rows.entries()) {
      if (!candidates.some((candidate) => candidate.row === number)) finished.add(row); // all tokens are banned
    }
    const chosen = chooseBest(candidates, rows, finished.ended, options);
    const extended = chosen.map((candidate) =>
      extend(rows[candidate.row], candidate, proposals.weights[candidate.row]));
    const isFinished = (row) => row.token === EOS || row.history.length >= rules.limit;
    for (const row of extended) if (isFinished(row)) finished.add(row);
    const kept = [...extended.keys()].filter((i) => !isFinished(extended[i]) && finished.canWin(extended[i]));
    rows = kept.map((i) => extended[i]);
    state = engine.select(after, kept.map((i) => chosen[i].row));
  }
  return hypothesisOf(finished.best);
}

/** The rules for the translations of a source. */
function rulesOf(source, options, mostUnknown) {
  const size = options.no_repeat_ngram_size;
  return {
    limit: Math.trunc(options.max_length_factor * source.length) + options.max_length_extra,
    minLength: options.min_length,
    ngramSize: size,
    repetitions: size ? largestRepetition(source, size) : 1,
    mostUnknown,
  };
}

/** The tokens that may not come next. */
function bansOf({ history }, rules) {
  const bans = new Set();
  if (history.length < rules.minLength) bans.add(EOS);
  if (history.filter((token) => token === UNK).length >= rules.mostUnknown) bans.add(UNK);
  if (rules.ngramSize) for (const token of repeatedNgrams(history, rules.ngramSize, rules.repetitions)) bans.add(token);
  return bans;
}

/** The tokens that would complete an n-gram without UNK that has occurred as often as the limit. */
function repeatedNgrams(history, size, limit) {
  const begin = history.slice(history.length - size + 1);
  if (history.length < size || begin.includes(UNK)) return [];
  const counts = new Map();
  for (let start = 0; start + size <= history.length; start++) {
    if (!begin.every((token, i) => history[start + i] === token)) continue;
    const token = history[start + size - 1];
    if (token !== UNK) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= limit).map(([token]) => token);
}

/** The number of times that the most frequent n-gram without UNK occurs; at least 1. */
function largestRepetition(ids, size) {
  const counts = new Map();
  for (let start = 0; start + size <= ids.length; start++) {
    const ngram = ids.slice(start, start + size);
    if (!ngram.includes(UNK)) counts.set(ngram.join(), (counts.get(ngram.join()) ?? 0) + 1);
  }
  return Math.max(1, ...counts.values());
}

/** The proposals for each row, enough of them that no ban forbids, with `allowed`: their places among them. */
function propose(engine, rows, state, bans, { beam_size: most }) {
  const largest = Math.max(...bans.map((of) => of.size));
  const atLeast = Math.min(most + largest, engine.vocabularySize - 2);
  for (let k = Math.min(atLeast, most + FEW_BANS); ; k = Math.min(atLeast, GROWTH * k)) {
    const [proposals, after] = engine.step(rows.map((row) => row.token), state, k);
    const allowed = proposals.tokens.map((tokens, row) => [...tokens.keys()].filter((i) => !bans[row].has(tokens[i])));
    if (k === atLeast || allowed.every((of) => of.length >= most)) return [{ ...proposals, allowed }, after];
  }
}

/** The best allowed proposals of each row as candidates. */
function bestOf({ tokens, logProbabilities, allowed }, most) {
  return tokens.flatMap((ofRow, row) => allowed[row]
    .filter((place) => Number.isFinite(logProbabilities[row][place]))
    .slice(0, most)
    .map((place) => ({ row, token: ofRow[place], logProbability: logProbabilities[row][place] })));
}

/** The candidates that go on or end: the best ones, but no hopeless ones. */
function chooseBest(candidates, rows, ended, { beam_size: size, prune }) {
  const totalOf = ({ row, logProbability }) => rows[row].total + logProbability;
  const best = candidates.toSorted((a, b) => totalOf(b) - totalOf(a)).slice(0, Math.max(0, size - ended));
  return best.filter((each) => prune === null || totalOf(each) >= totalOf(best[0]) - prune);
}

/** A row with the token of a candidate. */
function extend(row, { token, logProbability }, weights) {
  return {
    token, logProbability, weights,
    parent: row,
    history: [...row.history, token],
    total: row.total + logProbability,
    coverage: row.coverage.map((sum, place) => sum + weights[place]),
  };
}

/** The best finished hypothesis, and the number of those with EOS. */
class Finished {
  constructor(rules, options) {
    Object.assign(this, { rules, options, ended: 0, best: null });
  }

  /** Add a row; of equals, the first is the best, and one without EOS is worse than any with it. */
  add(row) {
    const end = { row, isEnded: row.token === EOS, score: this.score(row) };
    const isBetter = (a, b) => a.isEnded > b.isEnded || (a.isEnded === b.isEnded && a.score > b.score);
    if (!this.best || isBetter(end, this.best)) this.best = end;
    this.ended += end.isEnded;
  }

  score({ total, history, coverage }) {
    const covered = (sum, weight) => sum + Math.log(Math.min(Math.max(weight, TABLES.leastCoverage), 1));
    const { coverage_penalty: beta } = this.options;
    return total / this.divisor(history.length) + (beta ? beta * coverage.reduce(covered, 0) : 0);
  }

  divisor(length) {
    const { length_penalty: penalty, length_penalty_alpha: alpha } = this.options;
    return { none: 1, average: length, gnmt: ((5 + length) / 6) ** alpha }[penalty];
  }

  /** Whether a row can still become the best. */
  canWin({ total }) {
    return !this.ended || total / this.divisor(this.rules.limit) > this.best.score;
  }
}

function hypothesisOf({ row, isEnded }) {
  const steps = [];
  for (let each = row; each.parent; each = each.parent) steps.unshift(each);
  return {
    ids: row.history,
    isEnded,
    logProbabilities: steps.map((step) => step.logProbability),
    weights: steps.map((step) => Array.from(step.weights)),
  };
}
