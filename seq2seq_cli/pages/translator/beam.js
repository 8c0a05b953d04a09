// Beam search for one source, the same as decoding/search, which explains it.

const [ALTERNATIVES, SHOWN_TOKENS] = [5, 8]; // next tokens of a hypothesis in the tree, and of a step that is shown

/**
 * The `n_best` hypotheses for a source of ids without EOS, best first: {ids, isEnded, logProbabilities, weights, parent,
 * proposals}. They begin with the ids of `prefix`; a `trace`, an array, is filled with all that is considered.
 */
function search(engine, source, options, mostUnknown, prefix, trace) {
  const { beam_size: size, n_best: wanted, prune, length_penalty_alpha: alpha, coverage_penalty: beta } = options;
  const limit = Math.trunc(options.max_length_factor * source.length) + options.max_length_extra + prefix.length;
  const repetitions = Math.max(1, ...ngramsOf(source, options.no_repeat_ngram_size).map(({ count }) => count));
  const divisorOf = (n) => ({ none: 1, average: n, gnmt: ((5 + n) / 6) ** alpha })[options.length_penalty];
  const finished = []; // the best first; of equals, the one that was added first
  const finish = (row) => {
    row.score = row.total / divisorOf(row.ids.length) + (beta && beta * coverageOf(row.weights, source.length + 1));
    row.isEnded = row.ids.at(-1) === EOS;
    finished.push(row);
    finished.sort((a, b) => b.isEnded - a.isEnded || b.score - a.score);
  };
  let rows = [{ ids: [], logProbabilities: [], weights: [], total: 0 }];
  let state = engine.start(source);
  while (rows.length) {
    const bans = rows.map(({ ids }) => bansOf(ids, options, repetitions, mostUnknown));
    const forced = prefix[rows[0].ids.length];
    if (forced !== undefined) bans.forEach((banned) => banned.add(EOS)); // as constrained.py: the prefix goes on
    const needed = forced === undefined ? Math.max(size, trace ? SHOWN_TOKENS : 0) : engine.vocabularySize;
    const most = Math.min(needed + Math.max(...bans.map((of) => of.size)), engine.vocabularySize - 2);
    const [proposals, after] = engine.step(rows.map(({ ids }) => ids.at(-1) ?? BOS), state, most);
    const candidates = rows.map((row, number) =>
      extensionsOf(row, number, proposals, bans[number], forced).slice(0, size));
    for (const [number, row] of rows.entries()) if (!candidates[number].length) finish(row); // all tokens are banned
    const ended = finished.filter(({ isEnded }) => isEnded).length;
    const best = candidates.flat().sort((a, b) => b.total - a.total).slice(0, Math.max(0, size - ended));
    const chosen = best.filter(({ total }, rank) => prune === null || rank < wanted || total >= best[0].total - prune);
    const isFinished = ({ ids }) => ids.at(-1) === EOS || ids.length >= limit;
    for (const row of chosen.filter(isFinished)) finish(row);
    const last = finished[wanted - 1]; // once there are as many
    const canWin = ({ total }) => !last?.isEnded || total / divisorOf(limit) > last.score;
    const open = chosen.filter((row) => !isFinished(row) && canWin(row));
    trace?.push(...considered(rows, proposals, bans, chosen, open));
    rows = open;
    state = engine.select(after, rows.map(({ number }) => number));
  }
  for (const row of finished) row.weights = row.weights.map((of) => Array.from(of));
  return finished.slice(0, wanted);
}

/** What a step considered, {parent, token, logProbability, fate, score}: the chosen rows, and other probable tokens. */
function considered(rows, proposals, bans, chosen, open) {
  for (const row of chosen) row.fate = row.score !== undefined ? "finished" : open.includes(row) ? "kept" : "pruned";
  const others = rows.flatMap((parent, number) => {
    const taken = chosen.filter((row) => row.number === number).map(({ token }) => token);
    return proposals.likeliest[number].slice(0, ALTERNATIVES)
      .filter(([token, logProbability]) => !taken.includes(token) && Number.isFinite(logProbability))
      .map(([token, logProbability]) =>
        ({ parent, token, logProbability, fate: bans[number].has(token) ? "banned" : "pruned" }));
  });
  return [...chosen, ...others];
}

/** The sum over the source positions of log(min(attention to it, 1)). */
function coverageOf(weights, length) {
  const sums = Array.from({ length }, (_, position) => weights.reduce((sum, of) => sum + of[position], 0));
  return sums.reduce((total, sum) => total + Math.log(Math.min(Math.max(sum, TABLES.leastCoverage), 1)), 0);
}

/** The tokens that may not come next; `repetitions` is how often an n-gram may occur. */
function bansOf(ids, { min_length: minLength, no_repeat_ngram_size: size }, repetitions, mostUnknown) {
  const begin = ids.slice(ids.length - size + 1).join();
  const isRepeated = ({ ngram, count }) => count >= repetitions && ngram.slice(0, -1).join() === begin;
  const bans = new Set(ngramsOf(ids, size).filter(isRepeated).map(({ ngram }) => ngram.at(-1)));
  if (ids.length < minLength) bans.add(EOS);
  if (ids.filter((token) => token === UNK).length >= mostUnknown) bans.add(UNK);
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

/** The rows that the proposals make of a row with this number, but for bans or all but `forced`, the best first. */
function extensionsOf(row, number, proposals, bans, forced) {
  const isAllowed = (token) => (forced === undefined ? !bans.has(token) : token === forced);
  return proposals.likeliest[number]
    .filter(([token, logProbability]) => Number.isFinite(logProbability) && isAllowed(token))
    .map(([token, logProbability]) => ({
      number, token, logProbability, proposals,
      parent: row,
      ids: [...row.ids, token],
      logProbabilities: [...row.logProbabilities, logProbability],
      weights: [...row.weights, proposals.weights[number]],
      total: row.total + logProbability,
    }));
}
