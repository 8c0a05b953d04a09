"""The tutorials' loop trains the same model on the same task as s2s."""

import pytest
import torch
from torch import nn

from benchmarks.speed.tutorial_loop import TutorialModel, sentence_loss
from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.model import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.corpus.batches import collate
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.learning.loss import batch_loss
from seq2seq_cli.model.attention.attention import Attention
from seq2seq_cli.model.attention.scores import ConcatScore
from seq2seq_cli.model.build import build_model
from seq2seq_cli.text.vocabulary import EOS

SRC = [[4, 5], [5, 6, 7, 4], [8]]
TGT = [[4, 6, 9], [7], [5, 4]]
SIZES = {"src_size": 9, "tgt_size": 10}
CONFIG = Config(
    model=ModelConfig(
        encoder=EncoderConfig(embedding_size=3, hidden_size=4, layers=2),
        attention=AttentionConfig(score="concat", size=5),
        decoder=DecoderConfig(embedding_size=6, hidden_size=4, layers=2, dropout=0.0),
    )
)


@pytest.mark.parametrize("forced", [True, False])
def test_the_loss_of_each_sentence_is_that_of_the_batched_model(forced: bool) -> None:
    torch.manual_seed(1)
    theirs = TutorialModel(CONFIG.model, **SIZES)
    ours = build_model(CONFIG.model, **SIZES)
    decoder, attention = ours.decoder, ours.decoder.attention
    assert isinstance(attention, Attention)
    score = attention.score
    assert isinstance(score, ConcatScore)
    same: list[tuple[nn.Module, nn.Module]] = [
        (ours.encoder.embedding, theirs.src_embedding),
        (ours.encoder.rnn, theirs.encoder),
        (decoder.embedding, theirs.tgt_embedding),
        (decoder.rnn, theirs.decoder),
        (ours.output, theirs.output),
        (score.W, theirs.W),
        (score.v, theirs.v),
    ]
    for own, other in same:
        own.load_state_dict(other.state_dict())

    ids = ParallelIds(src=Ragged.of(SRC), tgt=Ragged.of(TGT))
    batched = batch_loss(ours, collate(ids, range(3)), teacher_forcing=float(forced))
    one_by_one = [sentence_loss(theirs, [*s, EOS], [*t, EOS], forced=forced) for s, t in zip(SRC, TGT, strict=True)]

    assert batched.tokens == sum(len(t) + 1 for t in TGT)
    torch.testing.assert_close(batched.objective, torch.stack(one_by_one).sum())
