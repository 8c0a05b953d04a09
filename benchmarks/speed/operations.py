"""The matrix products of training on a batch, and their floating-point operations.

B sentences of S source and T target tokens each, EOS counted. All other work (tanh, softmax, dropout, the optimiser) is
left out: the speed of matrix products does not limit it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seq2seq_cli.config.schema.model import ModelConfig

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

    name: str
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
    """All products of a batch.

    The model has one layer on each side, a linear bridge, and general or additive global attention; for any other,
    raises NotImplementedError.
    """
    attention, encoder, decoder = model.attention, model.encoder, model.decoder
    if (
        attention.score not in ("general", "additive")
        or attention.scope != "global"
        or model.bridge != "linear"
        or (encoder.layers, decoder.layers) != (1, 1)
        or decoder.readout not in ("state", "attentional")
    ):
        raise NotImplementedError(f"the operations of {model!r}")
    yield from _encoder(model, shape)
    yield from _attention(model, shape)
    yield from _decoder(model, shape)
    size = decoder.readout_size or 0
    yield Product(name="output layer", rows=shape.tokens, inner=size, columns=shape.vocabulary)


def _encoder(model: ModelConfig, shape: Shape) -> Iterator[Product]:
    encoder, hidden = model.encoder, model.encoder.hidden_size
    gates = _gates(encoder.cell) * hidden
    rows = shape.sentences * shape.src
    for _ in range(1 if encoder.directions == "one" else 2):
        yield Product(name="encoder, words", rows=rows, inner=encoder.embedding_size, columns=gates)
        yield Product(name="encoder, states", rows=shape.sentences, inner=hidden, columns=gates, steps=shape.src)
    for _ in range(2 if model.decoder.cell == "lstm" else 1):
        inner, columns = encoder.state_size, model.decoder.hidden_size
        yield Product(name="bridge", rows=shape.sentences, inner=inner, columns=columns)


def _attention(model: ModelConfig, shape: Shape) -> Iterator[Product]:
    memory, query = model.memory_size, model.decoder.hidden_size
    keys = query if model.attention.score == "general" else model.attention.size or query
    tokens, steps = _steps(model, shape)
    rows = tokens * shape.sentences
    yield Product(name="keys", rows=shape.sentences * shape.src, inner=memory, columns=keys)
    if model.attention.score == "additive":
        yield Product(name="queries", rows=rows, inner=query, columns=keys, steps=steps)
        yield Product(name="scores", rows=rows * shape.src, inner=keys, columns=1, steps=steps)
    else:
        yield Product(name="scores", rows=tokens, inner=keys, columns=shape.src, steps=steps, batch=shape.sentences)
    yield Product(name="contexts", rows=tokens, inner=shape.src, columns=memory, steps=steps, batch=shape.sentences)


def _decoder(model: ModelConfig, shape: Shape) -> Iterator[Product]:
    decoder, hidden, memory = model.decoder, model.decoder.hidden_size, model.memory_size
    gates = _gates(decoder.cell) * hidden
    tokens, steps = _steps(model, shape)
    rows = tokens * shape.sentences
    yield Product(name="decoder, words", rows=shape.tokens, inner=decoder.embedding_size, columns=gates)
    yield Product(name="decoder, states", rows=shape.sentences, inner=hidden, columns=gates, steps=shape.tgt)
    if decoder.kind == "bahdanau":
        yield Product(name="decoder, contexts", rows=rows, inner=memory, columns=gates, steps=steps)
    elif decoder.input_feeding:
        fed = decoder.readout_size or 0
        yield Product(name="decoder, fed", rows=rows, inner=fed, columns=gates, steps=steps)
    if decoder.readout in ("attentional", "lexical"):
        inner = model.encoder.state_size + hidden
        yield Product(name="readout", rows=rows, inner=inner, columns=hidden, steps=steps)
    if decoder.readout == "lexical":
        yield Product(name="readout, words", rows=rows, inner=hidden, columns=hidden, steps=steps)


def _steps(model: ModelConfig, shape: Shape) -> tuple[int, int]:
    """The number of target tokens of a sentence that attend at a time, and the number of such steps."""
    stepwise = model.decoder.kind == "bahdanau" or model.decoder.input_feeding
    return (1, shape.tgt) if stepwise else (shape.tgt, 1)


def _gates(cell: str) -> int:
    return 4 if cell == "lstm" else 3
