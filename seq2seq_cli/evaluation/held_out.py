"""Scores of a translator on a held-out split: loss, BLEU and chrF; its attention to a few pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import torch

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.choices import Metric
from seq2seq_cli.corpus.batches import collate, length_order
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.decoding.scoring import score_pairs
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.evaluation.attention_figures import AttentionFigures, attention_sums, token_kinds
from seq2seq_cli.evaluation.scorer import CorpusScore, bleu, chrf, corpus_score
from seq2seq_cli.learning.loss import batch_loss
from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating
from seq2seq_cli.pages.data import AttentionData
from seq2seq_cli.text.sides import SIDES
from seq2seq_cli.text.vocabulary import EOS_UNIT

BATCH_TOKENS = 512
"""Tokens per batch on either side. Larger ones are no faster; additive attention takes memory for each word pair."""

_WATCHED = 4
_LONGEST_WATCHED = 14
"""Tokens on either side: the matrix of their attention fits on a screen."""
_DECIMALS = 3


@dataclass(frozen=True, kw_only=True)
class HeldOutScores:
    """The scores of a model on a split that it was not trained on."""

    loss: float
    """Mean negative log-likelihood, in nats per target token, with the true words fed to the decoder."""
    bleu: CorpusScore
    chrf: CorpusScore
    lowercase_bleu: CorpusScore | None = None
    """BLEU of the translations against lower-cased references; None unless the model writes lower case alone."""
    attention: AttentionFigures | None = None
    """Figures of the attention while the model reads the references; None in a model without attention."""
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The translation of each distinct source."""

    def by_metric(self) -> dict[Metric, float]:
        """The values by the names of their metrics."""
        return {"loss": self.loss, "bleu": self.bleu.value, "chrf": self.chrf.value}

    def recorded(self) -> dict[str, Any]:
        """The values by the names of their metrics, and the signatures, as the records of a run have them."""
        scores = {"bleu": self.bleu, "chrf": self.chrf, "lowercase_bleu": self.lowercase_bleu}
        return self.by_metric() | {"signatures": {name: score.signature for name, score in scores.items() if score}}


def score_split(
    model: Seq2Seq, translator: Translator, corpus: PreparedCorpus, split: SplitName, group: ProcessGroup = SINGLE
) -> HeldOutScores:
    """Loss of `model`, BLEU and chrF of its `translator`, on a split that is not empty; a `group` shares the work."""
    loss, attention = read_references(model, corpus, split, group)
    pairs = corpus.sentences(split)
    own = list(dict.fromkeys(src for src, _ in pairs))[group.rank :: group.size]
    found = [(translation.source, translation.text) for translation in translator.translate(own)]
    texts = dict(chain.from_iterable(group.gather(found)))
    side = corpus.codec("tgt").config
    score = partial(corpus_score, hypotheses=[texts[src] for src, _ in pairs], references=[tgt for _, tgt in pairs])
    return HeldOutScores(
        loss=loss,
        bleu=score(bleu(side.language)),
        chrf=score(chrf()),
        lowercase_bleu=score(bleu(side.language, lowercase=True)) if side.lowercase else None,
        attention=attention,
        texts=texts,
    )


@torch.no_grad()
def read_references(
    model: Seq2Seq, corpus: PreparedCorpus, split: SplitName, group: ProcessGroup = SINGLE
) -> tuple[float, AttentionFigures | None]:
    """The loss of a split in nats per target token, and the attention, with the true words fed to the decoder."""
    ids, device = corpus.split(split), next(model.parameters()).device
    src_kinds, tgt_kinds = map(token_kinds, corpus.codecs)
    loss, tokens, sums = 0.0, 0, np.zeros(4)
    with evaluating(model):
        for rows in length_order(ids, size=BATCH_TOKENS, unit="token")[group.rank :: group.size]:
            batch = collate(ids, rows)
            found = batch_loss(model, batch.to(device), teacher_forcing=1.0)
            loss += found.nll.item()
            tokens += found.tokens
            if found.weights is not None:
                weights = found.weights.float().cpu().numpy()
                kinds = src_kinds[batch.src.numpy()], tgt_kinds[batch.tgt_out.numpy()]
                sums += attention_sums(weights, *kinds)
    all_loss, all_tokens, *all_sums = group.sum([loss, float(tokens), *sums.tolist()])
    return all_loss / all_tokens, AttentionFigures.of(np.array(all_sums))


def watched_pairs(corpus: PreparedCorpus) -> list[tuple[str, str]]:
    """The same few pairs for all runs of a corpus, of all lengths that fit on a screen: held out, or of training."""
    split: SplitName = "valid" if len(corpus.split("valid")) else "train"
    ids = corpus.split(split)
    lengths = np.maximum(ids.src.lengths, ids.tgt.lengths)
    last = max(1, int(np.count_nonzero(lengths <= _LONGEST_WATCHED))) - 1
    places = sorted({last * part // _WATCHED for part in range(1, _WATCHED + 1)})
    rows = np.argsort(lengths, kind="stable")[places].tolist()
    sides = (corpus.texts("train", side) for side in SIDES)  # line by line: they need not fit into memory
    texts = corpus.sentences("valid") if split == "valid" else zip(*sides, strict=True)
    chosen = {row: pair for row, pair in enumerate(texts) if row in rows}
    return [chosen[row] for row in rows]


def read_pairs(translator: Translator, pairs: Sequence[tuple[str, str]]) -> list[AttentionData]:
    """The attention while the model reads these pairs; none in a model without attention."""
    if not translator.engine.has_attention:
        return []
    return [
        {
            "source": source,
            "translation": reference,
            "src_tokens": [*score.src.parts, EOS_UNIT],
            "tgt_tokens": [*score.tgt.parts, EOS_UNIT],
            "weights": np.round(np.nan_to_num(score.weights.astype(float)), _DECIMALS).tolist(),
        }
        for (source, reference), score in zip(pairs, score_pairs(translator, pairs, with_attention=True), strict=True)
    ]
