"""The dial: the settings of a training by its pairs, its minutes and the speed of the machine.

``s2s train --minutes`` takes the recipe ``quick`` with the size and the noise that are chosen here. On two cores of
2026, the other recipes are points of the dial: ``few`` is 6 minutes with up to 10,000 pairs, ``fast`` is 10 minutes and
``best`` 120 with all of deu.txt and one model; ``quick`` and ``fast`` leave out the similar pairs. The trainings behind
the figures are in docs/log.md; ``python -m benchmarks.quality.dial`` fits the expected BLEU to them.
"""

import math
from bisect import bisect
from dataclasses import dataclass, replace

from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.similar.features import MOST_KEPT

FEW_PAIRS = 10_000
"""Most pairs that get BPE-dropout."""
_LITTLE = 1_000_000
"""Target tokens per epoch that are memorised before a large model learns from them: they get the smallest size."""
_SIZES, _BUDGETS = (256, 384, 448), (1.2e7, 42e6)
"""Numbers of a state, and the tokens from which on the second and the third pay."""
_LONG_VECTORS = 0.82
"""Speed with as many numbers in a word vector as in a state, per speed with three quarters of them, as in ``quick``."""
_OFTEN = 8
"""Epochs, or as many tokens with what helps, from which on many pairs need long vectors and more dropout."""
_MOST_EPOCHS, _MOST_READ = 100, 2_000_000
"""Epochs of few pairs, and pairs read where there are many, after which the model would only learn them by heart."""
_TOGETHER, _WORTH = (1.0, 1.02, 1.035), 0.5
"""BLEU of one model, two and three together per BLEU of one; and what one more must bring, as it slows translating."""
_FEWER_EPOCHS = 0.6
"""Factor on the epochs of few pairs: BPE-dropout makes more tokens than are counted, and validations take time."""
_CEILING, _OF_TOKENS, _OF_PAIRS = 56.0, (14.8, 0.8), (1.15, 0.7)
"""BLEU with no limit; what it lacks after a million tokens; and what 10,000 pairs divide it by, less 1; both with their
exponents."""
_ERROR = 1.5
"""The error of the expected BLEU: the 13 trainings behind it have less."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The pairs of a training, its time, and what follows from them."""

    pairs: int
    tokens_per_epoch: int
    """Target tokens of the training pairs, EOS included."""
    minutes: float
    tokens_per_second: float
    """Target tokens per second that ``quick`` is trained on."""
    side_by_side: float = 1.0
    """Tokens per second that several models are trained on side by side, all together, per token of one alone."""
    own_share: float = 1.0
    """Share of an epoch's tokens that are of the pairs, and not of what helps them."""
    stated_members: int | None = None
    """Models that translate together, if the user states it."""

    @property
    def tokens(self) -> float:
        """Target tokens that ``quick`` could be trained on in the time."""
        return 60 * self.minutes * self.tokens_per_second

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return _SIZES[0] if self.tokens_per_epoch < _LITTLE else _SIZES[bisect(_BUDGETS, self.tokens)]

    @property
    def words(self) -> int:
        """Numbers of a word vector: fewer than of a state in a small model that reads many pairs a few times."""
        is_short = self.size == _SIZES[0] and self.pairs > FEW_PAIRS and self._epochs <= _OFTEN * self.own_share
        return self.size * 3 // 4 if is_short else self.size

    @property
    def possible_epochs(self) -> float:
        """Epochs in the time; the matrices of a step grow with the square of the size, and its time with them."""
        return self._epochs if self.words == self.size else self._epochs / _LONG_VECTORS

    @property
    def _epochs(self) -> float:  # with long vectors
        tokens = self.tokens * _LONG_VECTORS * (_FEWER_EPOCHS if self.pairs <= FEW_PAIRS else 1.0)
        return tokens * (_SIZES[0] / self.size) ** 2 * self.own_share / self.tokens_per_epoch

    @property
    def most_epochs(self) -> int:
        """Epochs after which training ends before its time."""
        is_read_often = self.pairs > FEW_PAIRS and self._epochs > _OFTEN
        return max(12, min(_MOST_EPOCHS, _MOST_READ // self.pairs)) if is_read_often else _MOST_EPOCHS

    @property
    def members(self) -> int:
        """Models to train in the time, which translate together; one of few pairs, for which no more were tried."""
        if self.stated_members or self.pairs <= FEW_PAIRS:
            return self.stated_members or 1
        return max(range(1, len(_TOGETHER) + 1), key=lambda n: replace(self, stated_members=n).bleu - _WORTH * n)

    @property
    def of_member(self) -> "Budget":
        """The budget of each of these models."""
        speed = self.tokens_per_second * (self.side_by_side / self.members if self.members > 1 else 1.0)
        return replace(self, tokens_per_second=speed, stated_members=1)

    @property
    def overrides(self) -> list[str]:
        """The values that differ from those of `BASE`, as ``--set`` takes them."""
        if self.members > 1:
            return [*self.of_member.overrides, f"training.members={self.members}"]
        size, is_few, is_large = self.size, self.pairs <= FEW_PAIRS, self.size == _SIZES[-1]
        values: dict[str, object] = {"training.max_minutes": f"{self.minutes:g}"}
        for part, hidden in (("encoder", size // 2), ("decoder", size)):
            values |= {f"model.{part}.embedding_size": self.words, f"model.{part}.hidden_size": hidden}
        if size > _SIZES[0]:
            values["training.lr"] = 5e-3 if is_large else 6e-3
        if is_large:
            values |= {"training.batch_size": 2048, "training.warmup_steps": 200}
        if is_few:
            values |= {"training.bpe_dropout": 0.1, "training.choose_decoding": "true"}
            values["model.initialisation.from_pairs"] = "false"
        elif self.tokens_per_epoch <= MOST_KEPT:  # else each sentence would take five times as long
            values["decoding.similar_pairs"] = 32
        if self._epochs > _OFTEN * self.own_share:  # what helps may be the same content in other words
            values["training.epochs"] = self.most_epochs
            is_little = self.tokens_per_epoch < _LITTLE
            for part, other in (("encoder", "state_dropout"), ("decoder", "readout_dropout")):
                values[f"model.{part}.dropout"] = 0.3 if is_little else 0.2
                if not is_few:  # whose words BPE-dropout changes
                    values[f"model.{part}.{'word_dropout' if is_little else other}"] = 0.1
        return [f"{key}={value}" for key, value in values.items()]

    @property
    def bleu(self) -> float:
        """The BLEU to expect on everyday sentences."""
        if self.members > 1:
            return _TOGETHER[min(self.members, len(_TOGETHER)) - 1] * self.of_member.bleu
        (b, t), (a, p) = _OF_TOKENS, _OF_PAIRS
        tokens = self.tokens * min(1.0, self.most_epochs / self.possible_epochs)
        return max(0.0, _CEILING - b * math.pow(tokens / 1e6, -t)) / (1 + a * math.pow(self.pairs / 1e4, -p))

    def in_words(self, size: int, words: int) -> str:
        """The choice, its reason and its worth, in a line; without its worth if the user sets other sizes."""
        minutes = f"{self.minutes:g} minute{'' if self.minutes == 1 else 's'}"
        each = self.of_member
        given = f"{counted(self.pairs, 'pair')}, {minutes} at {self.members * each.tokens_per_second:,.0f} tokens/s"
        if (size, words) != (each.size, each.words):
            return f"{given}: {size} numbers as --set says"
        epochs = min(each.possible_epochs, each.most_epochs)
        gain = replace(self, minutes=2 * self.minutes).bleu - self.bleu
        models = "" if self.members == 1 else f"{self.members} models that translate together, each with "
        return (
            f"{given}: {models}{size} numbers, {epochs:.1f} epochs; sentences as in Tatoeba would get a BLEU of"
            f" {self.bleu:.0f} ± {_ERROR:g}, {gain:+.1f} in twice the time"
        )
