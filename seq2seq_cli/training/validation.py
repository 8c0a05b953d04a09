"""Validation: the scores of the weights or of their moving average, whichever is better."""

from dataclasses import dataclass

import torch

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.held_out import HeldOutScores, score_split
from seq2seq_cli.learning.state import Progress, TrainingState
from seq2seq_cli.model.seq2seq import Seq2Seq


@dataclass(frozen=True, kw_only=True)
class Validation:
    """The scores on the validation split, and which weights they belong to."""

    scores: HeldOutScores | None
    """None when nothing is held out."""
    averaged: bool
    """Whether they are the scores of the moving average, which is better than the weights themselves."""


def validate(
    state: TrainingState, corpus: PreparedCorpus, config: Config, device: torch.device, group: ProcessGroup = SINGLE
) -> Validation:
    """Score the weights and, where there is one, their moving average; return the better scores."""
    if not len(corpus.split("valid")):
        return Validation(scores=None, averaged=state.average is not None)

    def scores_of(model: Seq2Seq) -> HeldOutScores:
        translator = Translator(model, corpus.src_codec, corpus.tgt_codec, config.decoding, device)
        return score_split(translator, corpus, "valid", group)

    plain = scores_of(state.model)
    if state.average is None:
        return Validation(scores=plain, averaged=False)
    averaged = scores_of(state.average.module)
    is_better = Progress(best_scores=plain.by_metric()).improves(averaged.by_metric(), config.training.best_metric)
    return Validation(scores=averaged if is_better else plain, averaged=is_better)
