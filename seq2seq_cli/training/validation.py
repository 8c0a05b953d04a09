"""How well the model does on held-out sentences."""

from dataclasses import dataclass
from itertools import chain

import torch

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.batches import collate, length_order
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.metrics import Score, corpus_bleu, corpus_chrf
from seq2seq_cli.learning.loss import batch_loss
from seq2seq_cli.learning.state import Progress, TrainingState
from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating

BATCH_TOKENS = 512
"""On either side. Larger ones are no faster, and an additive score takes memory for each target and source word."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Of a model on a split that it was not trained on."""

    loss: float
    """Mean negative log-likelihood a target token, in nats, the true words fed."""
    bleu: Score
    """Of greedy translations."""
    chrf: Score
    """Of the same."""

    def by_metric(self) -> dict[str, float]:
        """The figures by what training.best_metric calls them."""
        return {"loss": self.loss, "bleu": self.bleu.value, "chrf": self.chrf.value}

    def signatures(self) -> dict[str, str]:
        """How BLEU and chrF were computed."""
        return {"bleu": self.bleu.signature, "chrf": self.chrf.signature}


@dataclass(frozen=True, kw_only=True)
class Validation:
    """Scores, and of which weights."""

    scores: Scores | None
    """None when nothing is held out."""
    averaged: bool
    """Whether they are those of the moving average, which does better than the weights themselves."""


def validate(
    state: TrainingState, corpus: PreparedCorpus, config: Config, device: torch.device, group: ProcessGroup = SINGLE
) -> Validation:
    """Score the weights and their moving average, if there is one, and keep to the better of them."""
    if not len(corpus.split("valid")):
        return Validation(scores=None, averaged=state.average is not None)
    plain = _score(state.model, corpus, config, device, group)
    if state.average is None:
        return Validation(scores=plain, averaged=False)
    averaged = _score(state.average.model, corpus, config, device, group)
    is_better = Progress(best_scores=plain.by_metric()).improves(averaged.by_metric(), config.training.best_metric)
    return Validation(scores=averaged if is_better else plain, averaged=is_better)


def _score(model: Seq2Seq, corpus: PreparedCorpus, config: Config, device: torch.device, group: ProcessGroup) -> Scores:
    translator = Translator(model, corpus.src_codec, corpus.tgt_codec, config.decoding, device)
    return score(translator, corpus, "valid", group)


def score(translator: Translator, corpus: PreparedCorpus, split: SplitName, group: ProcessGroup = SINGLE) -> Scores:
    """Loss, BLEU and chrF of a split, which has some pairs; the processes of a `group` share the work."""
    loss = mean_loss(translator.model, corpus.split(split), translator.device, group)
    hypotheses, references = _translations(translator, corpus.sentences(split), group)
    return Scores(loss=loss, bleu=corpus_bleu(hypotheses, references), chrf=corpus_chrf(hypotheses, references))


@torch.no_grad()
def mean_loss(model: Seq2Seq, ids: ParallelIds, device: torch.device, group: ProcessGroup = SINGLE) -> float:
    """Mean negative log-likelihood a target token, in nats, the true words fed."""
    loss, tokens = 0.0, 0
    with evaluating(model):
        for rows in length_order(ids, size=BATCH_TOKENS, unit="token")[group.rank :: group.size]:
            batch = batch_loss(model, collate(ids, rows).to(device), teacher_forcing=1.0)
            loss += batch.nll.item()
            tokens += batch.tokens
    all_loss, all_tokens = group.sum([loss, float(tokens)])
    return all_loss / all_tokens


def _translations(
    translator: Translator, pairs: list[tuple[str, str]], group: ProcessGroup
) -> tuple[list[str], list[str]]:
    """The translation of each pair's source, and its target.

    A source that stands in several pairs is translated once.
    """
    sources = list(dict.fromkeys(src for src, _ in pairs))
    mine = sources[group.rank :: group.size]
    shares = group.gather([(src, t.text) for src, t in zip(mine, translator.translate(mine), strict=True)])
    texts = dict(chain.from_iterable(shares))
    return [texts[src] for src, _ in pairs], [tgt for _, tgt in pairs]
