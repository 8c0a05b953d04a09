"""How well the model does on held-out sentences."""

import torch

from seq2seq_cli.corpus.batches import collate, length_order
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.metrics import Score, corpus_bleu
from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating
from seq2seq_cli.training.loss import batch_loss

BATCH_SIZE = 128


@torch.no_grad()
def mean_loss(model: Seq2Seq, ids: ParallelIds, device: torch.device) -> float:
    """Mean negative log-likelihood a target token, in nats, the true words fed."""
    loss, tokens = 0.0, 0
    with evaluating(model):
        for rows in length_order(ids, batch_size=BATCH_SIZE):
            losses = batch_loss(model, collate(ids, rows).to(device), teacher_forcing=1.0)
            loss += losses.nll.item()
            tokens += losses.tokens
    return loss / tokens


def score_translations(translator: Translator, pairs: list[tuple[str, str]]) -> Score:
    """BLEU of the translations of all pairs' sources, each against the target of its own pair.

    A source that stands in several pairs is translated once.
    """
    sources = list(dict.fromkeys(src for src, _ in pairs))
    texts = dict(zip(sources, (t.text for t in translator.translate(sources)), strict=True))
    return corpus_bleu([texts[src] for src, _ in pairs], [tgt for _, tgt in pairs])
