"""Validation: the scores of the weights or of their moving average, whichever is better, by greedy search."""

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.evaluation.held_out import HeldOutScores, score_split
from seq2seq_cli.learning.state import TrainingState, is_better
from seq2seq_cli.model.seq2seq import Seq2Seq


def validate(
    state: TrainingState, corpus: PreparedCorpus, config: Config, group: ProcessGroup = SINGLE
) -> tuple[HeldOutScores | None, bool]:
    """The better scores of the weights and, where there is one, their moving average; whether they are the average's.

    Without held-out pairs there are no scores, and no average.
    """
    if not len(corpus.split("valid")):
        return None, False

    greedy = config.decoding.model_copy(update={"beam_size": 1, "n_best": 1, "sampling": False})

    def scores_of(model: Seq2Seq) -> HeldOutScores:
        translator = translator_of(model, corpus.codecs, greedy)
        return score_split(model, translator, corpus, "valid", group)

    plain = scores_of(state.model)
    if state.average is None:
        return plain, False
    averaged = scores_of(state.average.module)
    if is_better(averaged.by_metric(), plain.by_metric(), config.training.metric):
        return averaged, True
    return plain, False
