"""The choice of decoding keys by the validation split, after training.

One key after the other is tried, and a value is kept if it scores more than those before it. The search begins with the
defaults, whatever the config has: a resumed run, whose config has what was chosen before, comes to the same.
"""

import math
import timeit
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from seq2seq_cli.config.choices import METRIC_NAMES
from seq2seq_cli.config.loader import checked_config
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.decoding.load import load_model, open_translator, translator_of
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet
from seq2seq_cli.evaluation.scorer import Scorer, bleu, chrf
from seq2seq_cli.training.session import Session, pairs_to_consult, save_config

FEWEST_PAIRS, MOST_SOURCES = 50, 300
"""Validation pairs below which nothing is chosen, as a few sentences would decide, and sources that a trial translates
at most, down to `FEWEST_PAIRS` where there is no time for all trials."""
TRIED: dict[tuple[str, ...], Sequence[tuple[Any, ...]]] = {
    ("coverage_penalty",): [(0.2,), (0.4,)],
    ("length_penalty", "length_penalty_alpha"): [("gnmt", 0.6), ("gnmt", 1.0), ("none", 1.0)],
    ("similar_pairs",): [(32,)],
}
"""The values that are tried besides the defaults and those of the config; what takes longest comes last."""
MARGIN, MARGIN_OF_PAIRS = 0.3, 1.0
"""Points that a value must bring on `MOST_SOURCES`: the standard error of the difference of two searches; with similar
pairs, which change more, nearly twice theirs. Both grow as the error does with fewer."""
_TIMED, _TRIALS = 30, 15
"""Sources that are translated to measure the time, and the trials that a choice takes, one of similar pairs as six."""

Objective: TypeAlias = Callable[[DecodingConfig], float]


def choose_decoding(session: Session) -> tuple[Session, str | None]:
    """The session with the keys that score best, which are written into the run, and a line on them.

    Without `training.choose_decoding`, or enough validation pairs, it is the same session, and None.
    """
    config, own = session.config, session.config.decoding
    if not config.training.choose_decoding or own.sampling or len(session.corpus.split("valid")) < FEWEST_PAIRS:
        return session, None
    name, score, caution = _trials(session)
    stated = {key.removeprefix("decoding.") for key in session.plan.stated}
    free = [key for keys in TRIED if stated.isdisjoint(keys) for key in keys]
    (start, before), *_, (best, after) = 2 * best_keys(own, free, score, caution)
    changed = [f"{key} {shown(getattr(best, key))}" for key in free if getattr(best, key) != getattr(start, key)]
    brought = f"{name} {before:.1f}" + (f" -> {after:.1f}" if changed else "")
    line = f"decoding chosen on the validation split: {', '.join(changed) or 'the defaults'} ({brought})"
    return with_decoding(session, best), line


def best_keys(
    own: DecodingConfig, free: Collection[str], score: Objective, caution: float = 1.0
) -> list[tuple[DecodingConfig, float]]:
    """The defaults of the `free` keys, then values that are better by `caution` times the margin, with their scores."""
    best = own.model_copy(update={key: getattr(DecodingConfig(), key) for key in free})
    kept, known = [(best, score(best))], {best}
    for keys, tried in TRIED.items():
        for values in (*tried, tuple(getattr(own, key) for key in keys)):
            candidate = kept[-1][0].model_copy(update=dict(zip(keys, values, strict=True)))
            if candidate in known or not set(keys) <= set(free):
                continue
            known.add(candidate)
            margin = MARGIN_OF_PAIRS if candidate.similar_pairs > kept[-1][0].similar_pairs else MARGIN
            if (points := score(candidate)) >= kept[-1][1] + caution * margin:
                kept.append((candidate, points))
    return kept


def with_decoding(session: Session, decoding: DecodingConfig) -> Session:
    """The session with other decoding keys, which its run has from now on."""
    config = checked_config(session.config.model_copy(update={"decoding": decoding}))
    save_config(session.run, config, session.corpus)
    return replace(session, plan=replace(session.plan, config=config))


def _trials(session: Session) -> tuple[str, Objective, float]:
    """The name of the score, the score of the best weights on some validation sources, and the factor of the margins.

    There are as many sources as all trials have time for, if it is limited.
    """
    corpus, training = session.corpus, session.config.training
    is_bleu = session.state.progress.deciding(training.metric) == "bleu"
    metric = bleu(corpus.codec("tgt").config.language) if is_bleu else chrf()
    references = EvaluationSet.of_split(corpus, "valid").references
    plain, count = trained_translator(session), MOST_SOURCES
    if seconds := training.seconds_to_choose:
        few = _spaced(list(references), _TIMED)
        times = timeit.repeat(lambda: plain.translate(few), number=1, repeat=2)  # codecs and engine begin slowly
        count = max(FEWEST_PAIRS, min(MOST_SOURCES, int(_TIMED * seconds / (_TRIALS * min(times)))))
    sources = _spaced(list(references), count)

    def score(decoding: DecodingConfig) -> float:
        translator = replace(plain, options=decoding.options)
        if most := decoding.similar_pairs:
            translator = translator.consulting(pairs_to_consult(corpus), most=most)
        hypotheses = [translation.text for translation in translator.translate(sources)]
        return Scorer.of(metric, hypotheses, [references[src] for src in sources]).score()

    return METRIC_NAMES["bleu" if is_bleu else "chrf"], score, math.sqrt(MOST_SOURCES / len(sources))


def trained_translator(session: Session) -> Translator:
    """The translator with the best weights, without similar pairs: on a CPU by the exported model, which is quicker."""
    run, device, decoding = session.run, session.state.device, session.config.decoding
    if device.type == "cpu":
        return open_translator(run, decoding.options, "cpu", with_features=True)
    return translator_of(load_model(run, run.read_best()).to(device), session.corpus.codecs, decoding)


def _spaced(texts: Sequence[str], most: int) -> list[str]:
    """Texts at equal distances, all where there are no more."""
    return [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), most), dtype=int)]
