"""The choice of decoding keys by the validation split, after training.

One key after the other is tried, and a value is kept if it scores more than those before it. The search begins with the
defaults, whatever the config has: a resumed run, whose config has what was chosen before, comes to the same.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from seq2seq_cli.config.choices import METRIC_NAMES
from seq2seq_cli.config.loader import checked_config, dump_config
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.decoding.engines.open_engine import load_model, open_engine
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.decoding.similar.engine import ConsultingEngine
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.evaluation.scorer import Scorer, bleu, chrf
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.training.resolve import CHOSEN
from seq2seq_cli.training.session import Session, pairs_to_consult, save_pairs

FEWEST_PAIRS = 50
"""Validation pairs below which nothing is chosen: a few sentences would decide."""
MOST_SOURCES = 300
"""Validation sources that are translated in a trial; down to `FEWEST_PAIRS` where there is no time for all trials."""
TRIED: dict[tuple[str, ...], Sequence[tuple[Any, ...]]] = {
    ("coverage_penalty",): [(0.2,), (0.4,)],
    ("length_penalty", "length_penalty_alpha"): [("gnmt", 0.6), ("gnmt", 1.0), ("none", 1.0)],
    ("similar_pairs",): [(32,)],
}
"""The values that are tried besides the defaults and those of the config; what takes five times as long comes last."""
MARGIN, MARGIN_OF_PAIRS = 0.3, 1.0
"""Points that a value must bring on `MOST_SOURCES`: the standard error of the difference of two searches; with similar
pairs, which change more and take five times as long, nearly twice theirs. Both grow as the error does with fewer."""
COST_OF_PAIRS = 6
"""Seconds of a trial with similar pairs per second of one without, at most."""
_TIMED = 30
"""Sources that are translated to measure the time."""


class Trials:
    """The scores of a run on some validation sources, with some values of keys after others, in limited time."""

    def __init__(self, session: Session) -> None:
        metric = session.state.progress.deciding(session.config.training.metric)
        self.name = METRIC_NAMES["bleu" if metric == "bleu" else "chrf"]
        self._metric = bleu(session.corpus.tgt_codec.config.language) if metric == "bleu" else chrf()
        references = defaultdict(list)
        for src, tgt in session.corpus.sentences("valid"):
            references[src].append(tgt)
        self._session = session
        self._seconds: dict[bool, float] = {}
        """Seconds of the last trial, by whether it consulted similar pairs."""
        self._deadline, count = math.inf, MOST_SOURCES
        if seconds := session.config.training.seconds_to_choose:
            few = _spaced(list(references), _TIMED)
            self._translator.translate(few)  # the first time, codecs and engine are slower
            begin = time.monotonic()
            self._translator.translate(few)
            count = int(_TIMED * seconds / ((8 + COST_OF_PAIRS) * (time.monotonic() - begin)))
            self._deadline = begin + seconds
        self._sources = _spaced(list(references), max(FEWEST_PAIRS, min(count, MOST_SOURCES)))
        self._references = [references[src] for src in self._sources]

    @property
    def caution(self) -> float:
        """The factor of the margins: errors are larger where fewer sources are translated."""
        return math.sqrt(MOST_SOURCES / len(self._sources))

    def score(self, decoding: DecodingConfig) -> float:
        """The score with these keys; minus infinity where there is no time for the trial."""
        consults, begin = decoding.similar_pairs > 0, time.monotonic()
        if begin + self._seconds.get(consults, COST_OF_PAIRS * self._seconds.get(False, 0.0)) > self._deadline:
            return -math.inf
        translator = replace(self._translator, options=decoding.options)
        if consults:
            most, weight = decoding.similar_pairs, decoding.similar_pairs_weight
            engine = ConsultingEngine(translator.engine, self._pairs, most=most, weight=weight)
            translator = replace(translator, engine=engine)
        hypotheses = [translation.text for translation in translator.translate(self._sources)]
        self._seconds[consults] = time.monotonic() - begin
        return Scorer.of(self._metric, hypotheses, self._references).score()

    @cached_property
    def _translator(self) -> Translator:
        """The translator with the best weights, by the exported model on a CPU, without similar pairs."""
        run, device, options = self._session.run, self._session.state.device, self._session.config.decoding.options
        if device.type == "cpu":
            engine = open_engine(run, replace(options, similar_pairs=1), "cpu")
        else:
            engine = TorchEngine(load_model(run, run.read_best()).to(device), device)
        src, tgt = self._session.corpus.codecs
        return Translator(engine=engine, src_codec=src, tgt_codec=tgt, options=options)

    @cached_property
    def _pairs(self) -> SimilarPairs:
        return pairs_to_consult(self._session.corpus)


def _spaced(texts: Sequence[str], most: int) -> list[str]:
    """Texts at equal distances, all where there are no more."""
    return [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), most), dtype=int)]


def best_keys(
    own: DecodingConfig, free: Collection[str], score: Callable[[DecodingConfig], float], caution: float = 1.0
) -> dict[DecodingConfig, float]:
    """The scores of the defaults, first, and of the best values of the `free` keys, last; the other keys stay."""
    best = own.model_copy(update={key: getattr(DecodingConfig(), key) for key in free})
    kept, scores = {best: score(best)}, dict[DecodingConfig, float]()
    for keys, tried in TRIED.items():
        for values in (*tried, tuple(getattr(own, key) for key in keys)):
            candidate = best.model_copy(update=dict(zip(keys, values, strict=True)))
            if candidate in {*scores, *kept} or not set(keys) <= set(free):
                continue
            scores[candidate] = score(candidate)
            margin = MARGIN_OF_PAIRS if candidate.similar_pairs > best.similar_pairs else MARGIN
            if scores[candidate] >= kept[best] + caution * margin:
                best = candidate
                kept[best] = scores[best]
    return kept


def choose_decoding(session: Session) -> tuple[Session, str | None]:
    """The session with the keys that score best, which are written into the run, and a line on them.

    Without `training.choose_decoding`, or enough validation pairs, it is the same session, and None.
    """
    config, own = session.config, session.config.decoding
    if not config.training.choose_decoding or own.sampling or len(session.corpus.split("valid")) < FEWEST_PAIRS:
        return session, None
    trials = Trials(session)
    free = [key for key in CHOSEN if f"decoding.{key}" not in session.plan.stated]
    kept = best_keys(own, free, trials.score, trials.caution)
    (start, before), (best, after) = next(iter(kept.items())), list(kept.items())[-1]
    changed = [f"{key} {shown(getattr(best, key))}" for key in free if getattr(best, key) != getattr(start, key)]
    brought = f"{trials.name} {before:.1f}" + (f" -> {after:.1f}" if changed else "")
    line = f"decoding chosen on the validation split: {', '.join(changed) or 'the defaults'} ({brought})"
    return with_decoding(session, best), line


def with_decoding(session: Session, decoding: DecodingConfig) -> Session:
    """The session with other decoding keys, which its run has from now on."""
    run, config = session.run, checked_config(session.config.model_copy(update={"decoding": decoding}))
    save_pairs(run, decoding, session.corpus)
    run.write_config(config)
    with suppress(ModelFileError):  # no exported model
        content = dump_config(config).encode("utf-8")
        ExportRecord.read(run.path).of_config(content, decoding.options).write(run.path)
    return replace(session, plan=replace(session.plan, config=config))
