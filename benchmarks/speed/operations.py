"""The matrix products of training on a batch, and their floating-point operations.

B sentences of S source and T target tokens each, EOS counted. All other work (tanh, softmax, dropout, the optimiser) is
left out: the speed of matrix products does not limit it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seq2seq_cli.config.schema.model import ModelConfig

_GATES = 4
"""Gates of an LSTM."""
_BACKWARD = 2
"""Backward, each product needs one product for the gradient of each factor."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The sizes of a batch, and of the target vocabulary."""

    sentences: int
    src: int
    """Tokens of each source."""
    tgt: int
    """Tokens of each target."""
    vocabulary: int

    @property
    def tokens(self) -> int:
        """Target tokens of all sentences."""
        return self.sentences * self.tgt


@dataclass(frozen=True, kw_only=True)
class Product:
    """A product of a rows x inner matrix and an inner x columns matrix, possibly repeated."""

    rows: int
    inner: int
    columns: int
    steps: int = 1
    """Number of repetitions where each needs the result of the one before."""
    batch: int = 1
    """Number of such products at a time, each of its own matrices."""

    @property
    def operations(self) -> int:
        """Multiplications and additions, forward and backward."""
        return 2 * self.rows * self.inner * self.columns * self.steps * self.batch * (1 + _BACKWARD)


def operations_of_a_token(model: ModelConfig, shape: Shape) -> float:
    """Floating-point operations of training per target token, the source included."""
    return sum(product.operations for product in products(model, shape)) / shape.tokens


def products(model: ModelConfig, shape: Shape) -> Iterator[Product]:
    """All products of a batch of a model of `models.py`: LSTMs, a linear bridge, general or additive attention."""
    encoder, decoder, memory, hidden = model.encoder, model.decoder, model.memory_size, model.decoder.hidden_size
    sentences, src_tokens, gates = shape.sentences, shape.sentences * shape.src, _GATES * encoder.hidden_size
    for _ in range(2):  # directions of the encoder: words, then states
        yield Product(rows=src_tokens, inner=encoder.embedding_size, columns=gates)
        yield Product(rows=sentences, inner=encoder.hidden_size, columns=gates, steps=shape.src)
    for _ in range(2):  # the bridge to both states of the decoder
        yield Product(rows=sentences, inner=memory, columns=hidden)
    # The number of target tokens of a sentence that attend at a time, and the number of such steps.
    tokens, steps = (1, shape.tgt) if decoder.kind == "bahdanau" or decoder.input_feeding else (shape.tgt, 1)
    rows, gates = tokens * sentences, _GATES * hidden
    yield Product(rows=src_tokens, inner=memory, columns=hidden)  # keys
    if model.attention.score == "additive":
        yield Product(rows=rows, inner=hidden, columns=hidden, steps=steps)  # queries
        yield Product(rows=rows * shape.src, inner=hidden, columns=1, steps=steps)  # scores
    else:
        yield Product(rows=tokens, inner=hidden, columns=shape.src, steps=steps, batch=sentences)  # scores
    yield Product(rows=tokens, inner=shape.src, columns=memory, steps=steps, batch=sentences)  # contexts
    yield Product(rows=shape.tokens, inner=decoder.embedding_size, columns=gates)  # words of the decoder
    yield Product(rows=sentences, inner=hidden, columns=gates, steps=shape.tgt)  # its states
    if decoder.kind == "bahdanau":
        yield Product(rows=rows, inner=memory, columns=gates, steps=steps)  # the contexts that it reads
    elif decoder.input_feeding:
        yield Product(rows=rows, inner=hidden, columns=gates, steps=steps)  # the readouts that it is fed
    if decoder.readout == "attentional":
        yield Product(rows=rows, inner=memory + hidden, columns=hidden, steps=steps)  # readouts
    yield Product(rows=shape.tokens, inner=hidden, columns=shape.vocabulary)  # output layer
