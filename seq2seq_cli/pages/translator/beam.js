// Beam search for one source, the same as decoding/search, which explains it.

/** The best hypothesis for a source of ids without EOS: {ids, isEnded, logProbabilities, weights}. */
function search(engine, source, options, mostUnknown) {
  const { beam_size: size, prune } = options;
  const limit = Math.trunc(options.max_length_factor * source.length) + options.max_length_extra;
  const repetitions = Math.max(1, ...ngramsOf(source, options.no_repeat_ngram_size).map(({ count }) => count));
  const isFinished = ({ token, history }) => token === EOS || history.length >= limit;
  const finished = new Finished(options, limit);
  let rows = [{ token: BOS, parent: null, history: [], total: 0 }];
  let state = engine.start(source);
  while (rows.length) {
    const bans = rows.map(({ history }) => bansOf(history, options, repetitions, mostUnknown));
    const most = Math.min(size + Math.max(...bans.map((of) => of.size)), engine.vocabularySize - 2);
    const [proposals, after] = engine.step(rows.map(({ token }) => token), state, most);
    const candidates = rows.map((row, number) => extensionsOf(row, number, proposals, bans[number]).slice(0, size));
    for (const [number, row] of rows.entries()) if (!candidates[number].length) finished.add(row); // all are banned
    const best = candidates.flat().toSorted((a, b) => b.total - a.total).slice(0, Math.max(0, size - finished.ended));
    const chosen = best.filter(({ total }) => prune === null || total >= best[0].total - prune);
    for (const row of chosen.filter(isFinished)) finished.add(row);
    rows = chosen.filter((row) => !isFinished(row) && finished.canWin(row));
    state = engine.select(after, rows.map(({ number }) => number));
  }
  return hypothesisOf(finished.best);
}

/** The tokens that may not come next; `repetitions` is how often an n-gram may occur. */
function bansOf(history, { min_length: minLength, no_repeat_ngram_size: size }, repetitions, mostUnknown) {
  const begin = history.slice(history.length - size + 1).join();
  const isRepeated = ({ ngram, count }) => count >= repetitions && ngram.slice(0, -1).join() === begin;
  const bans = new Set(ngramsOf(history, size).filter(isRepeated).map(({ ngram }) => ngram.at(-1)));
  if (history.length < minLength) bans.add(EOS);
  if (history.filter((token) => token === UNK).length >= mostUnknown) bans.add(UNK);
  return bans;
}

/** The n-grams without UNK, each once with its count; none of size 0. */
function ngramsOf(ids, size) {
  const found = new Map();
  for (let end = size; size && end <= ids.length; end++) {
    const ngram = ids.slice(end - size, end);
    if (!ngram.includes(UNK)) found.set(ngram.join(), { ngram, count: (found.get(ngram.join())?.count ?? 0) + 1 });
  }
  return [...found.values()];
}

/** The rows that the proposals make of a row with this number, but for bans, the most probable first. */
function extensionsOf(row, number, { tokens, logProbabilities, weights }, bans) {
  return Array.from(tokens[number], (token, place) => ({ token, logProbability: logProbabilities[number][place] }))
    .filter(({ token, logProbability }) => Number.isFinite(logProbability) && !bans.has(token))
    .map(({ token, logProbability }) => ({
      number, token, logProbability,
      parent: row,
      weights: weights[number],
      history: [...row.history, token],
      total: row.total + logProbability,
    }));
}

/** The best finished hypothesis, and the number of those with EOS. */
class Finished {
  constructor(options, limit) {
    Object.assign(this, { options, limit, ended: 0, best: null });
  }

  /** Add a row; of equals, the first is the best, and one without EOS is worse than any with it. */
  add(row) {
    const end = { row, isEnded: row.token === EOS, score: row.total / this.divisor(row.history.length) };
    const isBetter = (a, b) => a.isEnded > b.isEnded || (a.isEnded === b.isEnded && a.score > b.score);
    if (!this.best || isBetter(end, this.best)) this.best = end;
    this.ended += end.isEnded;
  }

  divisor(length) {
    return this.options.length_penalty === "average" ? length : 1;
  }

  /** Whether a row can still become the best. */
  canWin({ total }) {
    return !this.ended || total / this.divisor(this.limit) > this.best.score;
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
