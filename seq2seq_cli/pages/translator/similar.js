// Similar training pairs, consulted at each step of a model, the same as decoding/similar, which explains it.

/** Pairs of ids without EOS, found by the unigrams and bigrams of their sources. */
class SimilarPairs {
  constructor(data, options) {
    Object.assign(this, data, { options });
    this.multiplier = BigInt(data.multiplier);
    const classes = this.src.map((source) => this.classesOf(source));
    this.owners = Array(this.unigrams + this.bigrams); // the numbers of the pairs by class; a hole where there are none
    classes.forEach((of, number) => of.forEach((class_) => (this.owners[class_] ??= []).push(number)));
    const normOf = (of) => Math.sqrt(of.reduce((sum, class_) => sum + this.weightOf(class_), 0));
    this.norms = Float32Array.from(classes, normOf);
  }

  /** The classes of n-grams of a source, each once, in ascending order. */
  classesOf(source) {
    const bigrams = source.slice(1).map((token, i) => {
      const product = (BigInt(source[i]) * this.multiplier + BigInt(token)) * this.multiplier;
      return this.unigrams + Number(BigInt.asUintN(64, product) >> BigInt(64 - Math.log2(this.bigrams)));
    });
    return [...new Set([...source.map((token) => token % this.unigrams), ...bigrams])].sort((a, b) => a - b);
  }

  /** The squared inverse document frequency, rounded as Python rounds it. */
  weightOf(class_) {
    const idf = Math.fround(Math.log((this.src.length + 1) / ((this.owners[class_]?.length ?? 0) + 1)));
    return Math.fround(idf * idf);
  }

  /** The pairs with the most similar sources, best first, but for those too long. */
  find(source) {
    const similarities = new Float32Array(this.src.length);
    for (const class_ of this.classesOf(source.filter((unit) => !this.marks.includes(unit)))) {
      const weight = this.weightOf(class_);
      for (const number of this.owners[class_] ?? []) similarities[number] += weight;
    }
    similarities.forEach((sum, number) => { if (sum > 0) similarities[number] = sum / this.norms[number]; });
    const found = [];
    let left = this.mostSteps;
    const best = largestPlaces(similarities, this.options.similar_pairs).filter((each) => similarities[each] > 0);
    for (const number of best.filter((each) => similarities[each] >= this.nearness * similarities[best[0]])) {
      const [src, tgt] = [this.src[number], this.tgt[number]];
      const steps = Math.max(src.length, tgt.length) + 1;
      if (steps > left || src.length >= this.longest) continue;
      found.push(number);
      left -= steps;
    }
    return found;
  }
}

/** An engine that consults similar pairs; `forced` takes steps without the output layer. */
class ConsultingEngine {
  constructor(model, forced, pairs) {
    Object.assign(this, { model, pairs, vocabularySize: model.vocabularySize });
    // While a sentence is typed, most of its similar pairs stay the same.
    this.featuresOf = remembered((number) => {
      let state = model.start(pairs.src[number]);
      return [BOS, ...pairs.tgt[number]].map((token) => {
        const [{ features: [features] }, after] = forced.step([token], state, 0);
        state = after;
        return features;
      });
    });
  }

  start(source) {
    const numbers = this.pairs.find(source);
    const features = numbers.flatMap((number) => this.featuresOf(number));
    const written = numbers.flatMap((number) => [...this.pairs.tgt[number], EOS]);
    const copied = new Set(source.map((unit) => this.pairs.same[unit]));
    const neighbours = numbers.length ? { ...neighboursOf(features, written), copied } : null;
    return { model: this.model.start(source), neighbours };
  }

  step(tokens, { model, neighbours }, k) {
    const [proposals, after] = this.model.step(tokens, model, k, neighbours?.tokens);
    const { features, asked_log_probabilities: asked } = proposals;
    const likeliest = proposals.likeliest.map((ofModel, row) =>
      (neighbours ? this.mixed(ofModel, asked[row], neighbours, features[row]).slice(0, k) : ofModel));
    return [{ ...proposals, likeliest }, { model: after, neighbours }];
  }

  /** Tokens and their log-probabilities, best first, of the model and its neighbours together. */
  mixed(ofModel, asked, neighbours, features) {
    const { temperature, reach, options } = this.pairs;
    const distances = neighbours.features.map((other) => squaredDistance(features, other) / neighbours.variance);
    const nearest = distances.reduce((least, distance) => Math.min(least, distance));
    const kernel = new Map(neighbours.tokens.map((token) => [token, 0]));
    distances.forEach((distance, i) => {
      const token = neighbours.written[i];
      kernel.set(token, kernel.get(token) + Math.exp((nearest - distance) / temperature));
    });
    const sum = [...kernel.values()].reduce((total, value) => total + value);
    const [[token, log]] = ofModel;
    const doubt = neighbours.copied.has(token) ? 0 : Math.sqrt(Math.max(0, -Math.expm1(log)));
    const share = options.similar_pairs_weight * doubt * Math.exp(-nearest / reach);
    const left = ofModel.filter(([token]) => !kernel.has(token)).map(([token, log]) => [token, log + Math.log1p(-share)]);
    const ofBoth = neighbours.tokens.map((token, i) => {
      const both = [asked[i] + Math.log1p(-share), Math.log((share * kernel.get(token)) / sum)];
      const most = Math.max(...both); // subtracted, so that not every exp is 0
      return [token, Math.min(0, most + Math.log(sumOf(both.map((log) => Math.exp(log - most)))))];
    });
    return [...left, ...ofBoth].sort((a, b) => b[1] - a[1]);
  }

  select({ model, neighbours }, numbers) {
    return { model: this.model.select(model, numbers), neighbours };
  }
}

/** Steps with these features, which write these tokens; the mean squared distance from their mean is the unit. */
function neighboursOf(features, written) {
  const mean = features[0].map((_, i) => features.reduce((sum, of) => sum + of[i], 0) / features.length);
  const squares = features.reduce((sum, of) => sum + squaredDistance(of, mean), 0);
  const tokens = [...new Set(written)].sort((a, b) => a - b);
  return { features, written, tokens, variance: squares / features.length || 1 };
}

function squaredDistance(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sum;
}
