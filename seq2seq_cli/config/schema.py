"""The config: every knob of s2s, its type, its range and its one default.

A YAML file has five sections: ``data`` and ``text`` say how ``s2s prepare`` makes a corpus, ``model`` and
``training`` what ``s2s train`` makes of it, ``decoding`` how ``s2s translate`` searches.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from seq2seq_cli.config.choices import (
    BatchUnit,
    BridgeName,
    Cell,
    DecoderKind,
    DeviceName,
    Directions,
    ForcingDecay,
    ForcingUnit,
    Metric,
    Optimiser,
    PrecisionName,
    ReadoutName,
    Schedule,
    ScopeName,
    TiedEmbeddings,
    Unit,
)
from seq2seq_cli.config.compatibility import Problem, model_problems, section_problems

AUTO = "auto"
"""A language that is still to be found."""
PREPARED_SECTIONS = ("data", "text")
"""The sections that ``s2s prepare`` reads; a run has them from its prepared folder."""


def _countable(number: int) -> int:
    if number >= 2**31:
        raise ValueError(f"must be less than {2**31}")
    return number


# What any library below can count to; far from every useful value, so that the ranges in comments leave it out.
PositiveInt = Annotated[int, Field(ge=1), AfterValidator(_countable)]
NonNegativeInt = Annotated[int, Field(ge=0), AfterValidator(_countable)]
Positive = Annotated[float, Field(gt=0.0)]
NonNegative = Annotated[float, Field(ge=0.0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Dropout = Annotated[float, Field(ge=0.0, lt=1.0)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
LanguageToFind = Annotated[
    str,
    Field(
        pattern=r"^([a-z]{2,3}|auto)$",
        examples=["en", "de"],
        description="ISO code such as en; auto: as the name of the pair file says (fra.txt: en, fr), or en and de.",
    ),
]
Lowercase = Annotated[bool, Field(description="Lower-case every token.")]
Spacing = Annotated[
    bool, Field(description="Let each token carry whether a space goes before it, so that text comes back exactly.")
]


class Disagreement(ValueError):  # noqa: N818 - pydantic turns it into its own error; nobody catches it by name
    """Values that are right each by itself, but not together.

    ``problems`` holds, for each of them, the keys that disagree (dotted, relative to the section that checks) and
    a message that names them in full.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


class Section(BaseModel):
    """A part of the config: immutable, without coercion, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


class DataConfig(Section):
    """Which pairs are used, and how many are held out."""

    limit: PositiveInt | None = None
    """Use the first N lines of the pair files, those of given splits aside; all of them when null."""
    encoding: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", examples=["utf-8", "latin-1"])] = "utf-8"
    """Of the files, such as latin-1 or cp1252; a byte order mark at the start of a file tells its own."""
    swap: bool = False
    """Translate from the second column into the first."""
    max_tokens: PositiveInt = 100
    """Pairs with more tokens than this on either side are dropped, with a count; five characters are one token."""
    max_ratio: Annotated[float, Field(gt=1.0)] = 9.0
    """Pairs in which one side has more than so many times the tokens of the other are dropped, with a count."""
    valid_sources: NonNegativeInt = 2000
    """Distinct source sentences held out for validation: at most this many or a tenth of all; none with --valid."""
    test_sources: NonNegativeInt = 2000
    """Distinct source sentences held out for the test at the end: at most this many or a tenth; none with --test."""


class SideConfig(Section):
    """One language's way from text to ids; which language that is, is known."""

    language: Language
    lowercase: Lowercase
    spacing: Spacing
    min_count: PositiveInt = 2
    """Words seen fewer times in training are unknown; with bpe, parts that are seen together less often stay apart."""
    max_size: PositiveInt | None = 10000
    """The most frequent units are kept, at most this many; all of them when null."""


class SourceConfig(SideConfig):
    """The language translated from, which may be still to be found: case and spacing do not matter by default."""

    language: LanguageToFind = AUTO
    lowercase: Lowercase = True
    spacing: Spacing = False


class TargetConfig(SideConfig):
    """The language translated into, which may be still to be found.

    Case and spacing are kept by default, so that the output is plain text.
    """

    language: LanguageToFind = AUTO
    lowercase: Lowercase = False
    spacing: Spacing = True


class TextConfig(Section):
    """The two languages, and what a text is made of."""

    unit: Unit = "word"
    """word: spaCy's tokens. bpe: parts of them, learned from the training split. character: no tokenizer at all."""
    shared_vocabulary: bool = False
    """One vocabulary for both sides, learned from both."""
    src: SourceConfig = SourceConfig()
    """The language translated from."""
    tgt: TargetConfig = TargetConfig()
    """The language translated into."""

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        problems: list[Problem] = []
        for key in ("min_count", "max_size") if self.shared_vocabulary else ():
            ours, theirs = getattr(self.src, key), getattr(self.tgt, key)
            if ours != theirs:
                message = (
                    f"text.src.{key} ({ours}) and text.tgt.{key} ({theirs}) must be equal:"
                    " text.shared_vocabulary makes one vocabulary for both"
                )
                problems.append(((f"src.{key}", f"tgt.{key}"), message))
        if problems:
            raise Disagreement(problems)
        return self


Layers = Annotated[int, Field(ge=1, le=4)]


class EncoderConfig(Section):
    """An RNN over the source words; every state is kept (the memory)."""

    cell: Cell = "lstm"
    """The RNN: LSTM, or GRU."""
    directions: Directions = "one"
    """one: left to right. joined: both ways, [forward; backward], a state twice as long. summed: forward + backward."""
    embedding_size: PositiveInt = 256
    """Size of a source word's vector."""
    hidden_size: PositiveInt = 256
    """Size of a state of one direction."""
    layers: Layers = 1
    """RNN layers on top of each other."""
    dropout: Dropout = 0.0
    """Share of the word vectors' entries, and of those between layers, that training sets to zero."""
    variational_dropout: bool = False
    """Set the same entries to zero at every word of a sentence."""
    word_dropout: Dropout = 0.0
    """Share of the words whose whole vector training sets to zero."""
    residual: bool = False
    """Add the input of the third and of each further layer to its output."""
    reverse: bool = False
    """Read the source from its end."""

    @property
    def memory_size(self) -> int:
        """Size of a memory position."""
        return self.hidden_size * (2 if self.directions == "joined" else 1)


ScoreName: TypeAlias = Literal[
    "additive",
    "dot",
    "scaled_dot",
    "general",
    "concat",
    "concat_joined",
    "linear",
    "location",
    "state_free",
    "fixed",
    "none",
]


class AttentionConfig(Section):
    """How well each source position answers the decoder's query, and where it may look."""

    score: ScoreName = "general"
    """additive v.tanh(W q + U h), dot q.h, scaled_dot q.h/sqrt(size), general q.W h, concat v.tanh(W(q + h)) as in the
    tutorial, concat_joined v.tanh(W[q; h]), linear w.[q; h] + b, location (W q)_s, state_free v.tanh(U h); q is the
    query and h a memory state. Without attention: fixed, the context tanh(V h) of the last h, or none."""
    size: PositiveInt | None = None
    """Size inside additive, concat, concat_joined and state_free; the decoder's hidden size when null."""
    heads: PositiveInt = 1
    """Additive scores side by side, each with its share of the size and of the context."""
    max_length: PositiveInt = 101
    """With location: the most source tokens, <eos> counted."""
    scope: ScopeName = "global"
    """global: every word. local_m: a window at the target word's own place. local_p: a window at a predicted place,
    with a Gaussian. hard: one word, drawn while training, the likeliest when translating."""
    window: PositiveInt = 10
    """D of local_m and local_p: the window is D words to either side."""

    @property
    def in_words(self) -> str:
        """Score, heads and scope, as a model card has them."""
        if self.score in ("none", "fixed"):
            return "no attention" if self.score == "none" else "a fixed context"
        heads = f" with {self.heads} heads" if self.heads > 1 else ""
        return f"{self.score} score{heads}" + (f", {self.scope} scope" if self.scope != "global" else "")


class DecoderConfig(Section):
    """An RNN that writes the target words, attending to the memory at every step."""

    kind: DecoderKind = "luong"
    """bahdanau: attend with the previous state, then the RNN. luong: the RNN first, then attend with its output."""
    cell: Cell = "lstm"
    """The RNN: LSTM, or GRU."""
    embedding_size: PositiveInt = 256
    """Size of a target word's vector."""
    hidden_size: PositiveInt = 256
    """Size of a state."""
    layers: Layers = 1
    """RNN layers on top of each other."""
    dropout: Dropout = 0.1
    """Share of the word vectors' entries, and of those between layers, that training sets to zero."""
    variational_dropout: bool = False
    """Set the same entries to zero at every word of a sentence."""
    word_dropout: Dropout = 0.0
    """Share of the words whose whole vector training sets to zero."""
    input_feeding: bool = False
    """Join the attentional vector to the next word's vector."""
    readout: ReadoutName = "concat"
    """What the output layer sees: state h, concat [h; c], attentional tanh(W[c; h]), or maxout of U h + V y + C c."""

    @property
    def readout_size(self) -> int | None:
        """Size of what the output layer sees; None for concat, where it is the memory's business too."""
        return {"state": self.hidden_size, "attentional": self.hidden_size, "maxout": (self.hidden_size + 1) // 2}.get(
            self.readout
        )


class ModelConfig(Section):
    """An encoder, an attention, a decoder."""

    encoder: EncoderConfig = EncoderConfig()
    """The source side."""
    bridge: BridgeName = "copy"
    """The decoder's first state: copy of the encoder's last (sizes agree), linear tanh(W h + b) of it, or zero."""
    attention: AttentionConfig = AttentionConfig()
    """What joins the two sides."""
    decoder: DecoderConfig = DecoderConfig()
    """The target side."""
    tied_embeddings: TiedEmbeddings = "none"
    """Matrices that are one: target: target vectors and output layer. all: those and the source vectors."""

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        if problems := list(model_problems(self)):
            raise Disagreement(problems)
        return self


class TrainingConfig(Section):
    """The loop."""

    epochs: PositiveInt = 10
    """Passes over the training pairs."""
    max_minutes: Positive | None = None
    """End after so many minutes, the last validation included, wherever that is; null: after the epochs."""
    patience: PositiveInt | None = None
    """End when so many validations in a row have brought no better score; null: never for that."""
    best_metric: Metric = "bleu"
    """Held-out score that the best weights are chosen by: the highest BLEU or chrF, or the lowest loss."""
    keep: NonNegativeInt = 0
    """Newest epochs whose weights are kept too, besides the best and the last."""
    batch_size: PositiveInt = 768
    """Size of a batch, in batch_unit, over all processes."""
    batch_unit: BatchUnit = "token"
    """token: source or target tokens with padding, whichever are more. sentence: pairs."""
    accumulate: PositiveInt = 1
    """Batches an update of the weights: their gradients are summed."""
    optimiser: Optimiser = "adam"
    """Adam, Adam with decoupled weight decay, or plain stochastic gradient descent."""
    lr: Positive = 1e-3
    """The optimiser's learning rate, at its highest."""
    weight_decay: NonNegative = 0.0
    """Of adamw and sgd: how fast weights shrink."""
    schedule: Schedule = "constant"
    """The learning rate after the warm-up: as it is; down to 0 at the end, in a line or as a cosine; down with the
    root of the steps; or halved after each validation that brings no better score."""
    warmup_steps: NonNegativeInt = 0
    """Updates in which the learning rate climbs to lr."""
    clip_norm: Positive = 1.0
    """Largest norm of the gradient; a longer one is scaled down to it."""
    label_smoothing: Dropout = 0.0
    """Share of the truth that is spread over the whole vocabulary."""
    ema_decay: Dropout = 0.0
    """Moving average of the weights: what of it stays at each update; 0: none. Kept as best when it scores better."""
    teacher_forcing: Probability = 0.5
    """Probability that the decoder is fed the true words and not its own predictions; with a decay, at the start."""
    teacher_forcing_unit: ForcingUnit = "sentence"
    """What it is drawn for."""
    teacher_forcing_decay: ForcingDecay = "constant"
    """How it goes down while training."""
    teacher_forcing_half: PositiveInt = 5000
    """Updates of the weights after which a decay has left half of it."""
    teacher_forcing_min: Probability = 0.0
    """What a decay leaves of it at least."""
    bpe_dropout: Dropout = 0.0
    """Share of the merges of subwords that are left out, drawn anew in each epoch; needs text.unit bpe."""
    hidden_words: Probability | None = None
    """Probability that, in a pair, a word that both sides have alike is unknown on both: so copying is learned. null:
    0.05 with bpe, where nothing else is unknown in training, else 0."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 1
    """Start of every random stream; the same seed gives the same run on a CPU."""
    deterministic: bool = False
    """On a GPU: only algorithms that give the same run twice; training ends where there is none."""
    device: DeviceName = "auto"
    """Where to compute; auto takes the first of cuda, mps, cpu that is there."""
    precision: PrecisionName = "auto"
    """Numbers in which products are computed: fp32; bf16: fp32 numbers, multiplied as bf16; bf16-mixed: bf16 numbers
    wherever that is safe. auto takes what is fastest on the device."""
    save_minutes: Positive = 2.0
    """Longest time between two saves of the checkpoint to resume from; one is saved after each epoch too."""
    tensorboard: bool = False
    """Write the metrics and pictures of the attention for TensorBoard too."""


class DecodingConfig(Section):
    """The search."""

    batch_size: PositiveInt = 64
    """Sentences translated at a time."""
    max_length_factor: Annotated[float, Field(ge=0.0, le=100.0)] = 1.5
    """An output has at most factor * source tokens + extra tokens."""
    max_length_extra: PositiveInt = 10
    """See max_length_factor."""


class Config(Section):
    """One model, whole."""

    data: DataConfig = DataConfig()
    """Which pairs (used by prepare)."""
    text: TextConfig = TextConfig()
    """From text to ids (used by prepare)."""
    model: ModelConfig = ModelConfig()
    """The network (used by train)."""
    training: TrainingConfig = TrainingConfig()
    """The loop (used by train)."""
    decoding: DecodingConfig = DecodingConfig()
    """The search (used by train for validation, and by translate)."""

    @model_validator(mode="after")
    def _sections_agree(self) -> Self:
        if problems := list(section_problems(self)):
            raise Disagreement(problems)
        return self
