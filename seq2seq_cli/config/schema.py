"""The config: every key with its type, range, default and sentence.

A YAML file has five sections: ``data`` and ``text`` say how ``s2s prepare`` makes a corpus, ``model`` and
``training`` what ``s2s train`` makes of it, ``decoding`` how ``s2s translate`` searches. Messages,
``s2s configs show`` and the JSON schema are made from here: a new key needs no line elsewhere.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import override

from seq2seq_cli.config import choices
from seq2seq_cli.config.compatibility import Problem, decoding_problems, model_problems, section_problems, text_problems

AUTO = "auto"
"""A language that is still to be found."""
PREPARED_SECTIONS = ("data", "text")
"""The sections that ``s2s prepare`` reads; a run has them from its prepared folder."""


def _countable(number: int) -> int:
    if number >= 2**31:
        raise ValueError(f"must be less than {2**31}")
    return number


# Integers are bounded by what the libraries can count to. No useful value comes near, so no range mentions it.
PositiveInt = Annotated[int, Field(ge=1), AfterValidator(_countable)]
NonNegativeInt = Annotated[int, Field(ge=0), AfterValidator(_countable)]
Positive = Annotated[float, Field(gt=0.0)]
NonNegative = Annotated[float, Field(ge=0.0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Dropout = Annotated[float, Field(ge=0.0, lt=1.0)]
BeamSize = Annotated[int, Field(ge=1, le=choices.LARGEST_BEAM)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
LanguageToFind = Annotated[
    str,
    Field(
        pattern=r"^([a-z]{2,3}|auto)$",
        examples=["en", "de"],
        description="ISO code. auto: from the name of the pair file (fra.txt: en and fr), else en and de.",
    ),
]
Lowercase = Annotated[bool, Field(description="Lower-case the text.")]
Spacing = Annotated[
    bool, Field(description="Mark each token that follows a space, so that the text comes back exactly.")
]


class Disagreement(ValueError):  # noqa: N818 - pydantic turns it into its own error; nobody catches it by name
    """Values that are valid each by itself, but not together; ``problems`` holds one entry per broken rule."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


class Section(BaseModel):
    """A part of the config: immutable, values of the wrong type and unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    def problems(self) -> Iterator[Problem]:
        """The rules between keys that the values break."""
        yield from ()

    @model_validator(mode="after")
    def _values_agree(self) -> Self:
        if problems := list(self.problems()):
            raise Disagreement(problems)
        return self


class DataConfig(Section):
    """The sentence pairs: which are used, and how many are held out."""

    limit: PositiveInt | None = None
    """Number of lines read, from the first on; null: all. Files of given splits (--valid, --test) are read whole."""
    encoding: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", examples=["utf-8", "latin-1"])] = "utf-8"
    """Encoding of the pair files, unless a byte order mark at the start of a file names another."""
    swap: bool = False
    """Translate from the second column into the first."""
    max_tokens: PositiveInt = 100
    """Most tokens per side; longer pairs are dropped and counted. Of characters, five times as many are allowed."""
    max_ratio: Annotated[float, Field(gt=1.0)] = 9.0
    """Largest ratio of the token counts of both sides; pairs with a larger one are dropped and counted."""
    valid_sources: NonNegativeInt = 2000
    """Distinct source sentences held out for validation: this many, but at most a tenth of all; none with --valid."""
    test_sources: NonNegativeInt = 2000
    """Distinct source sentences held out for the test: this many, but at most a tenth of all; none with --test."""


class SideConfig(Section):
    """One language, and how its text becomes ids."""

    language: Language
    lowercase: Lowercase
    spacing: Spacing
    min_count: PositiveInt = 2
    """Words seen fewer times in training become <unk>. With bpe, parts that are seen together less often stay apart."""
    max_size: PositiveInt | None = 10000
    """Largest vocabulary: this many of the most frequent units are kept; null: all."""


class SourceConfig(SideConfig):
    """The source language, or ``auto``. By default, case and spacing do not matter."""

    language: LanguageToFind = AUTO
    lowercase: Lowercase = True
    spacing: Spacing = False


class TargetConfig(SideConfig):
    """The target language, or ``auto``. By default, case and spacing are kept, so that the output is plain text."""

    language: LanguageToFind = AUTO
    lowercase: Lowercase = False
    spacing: Spacing = True


class TextConfig(Section):
    """The two languages, and the units that text is cut into."""

    unit: choices.Unit = "word"
    """word: spaCy's tokens. bpe: parts of them, learned from the training split. character: single characters."""
    shared_vocabulary: bool = False
    """One vocabulary for both sides, learned from both."""
    src: SourceConfig = SourceConfig()
    """The source language."""
    tgt: TargetConfig = TargetConfig()
    """The target language."""

    @override
    def problems(self) -> Iterator[Problem]:
        return text_problems(self)


Layers = Annotated[int, Field(ge=1, le=4)]


class EncoderConfig(Section):
    """An RNN that reads the source words; all its states are kept (the memory)."""

    cell: choices.Cell = "lstm"
    """Type of the RNN. gru: torch's, which resets after the product, r (U h). gru_cho: the paper's, U (r h), which is
    slower. rnn: tanh(W x + U h + b)."""
    directions: choices.Directions = "one"
    """one: left to right. joined: both ways, a state is [forward; backward]. summed: forward + backward."""
    embedding_size: PositiveInt = 256
    """Size of the vector of a source word."""
    hidden_size: PositiveInt = 256
    """Size of an encoder state in one direction."""
    layers: Layers = 1
    """Number of RNN layers."""
    dropout: Dropout = 0.0
    """Probability that training sets an entry to zero, in word vectors and between layers."""
    variational_dropout: bool = False
    """Let dropout set the same entries to zero at every word of a sentence."""
    word_dropout: Dropout = 0.0
    """Probability that training sets the whole vector of a word to zero."""
    residual: bool = False
    """Add the input of a layer to its output, from the third layer on."""
    reverse: bool = False
    """Read the source backwards, from its last word."""

    @property
    def memory_size(self) -> int:
        """Size of a memory state."""
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
    "location_word",
    "state_free",
    "fixed",
    "none",
]


class AttentionConfig(Section):
    """The score of each source position against the decoder's query, and the positions that it may attend to."""

    score: ScoreName = "general"
    """Score of a query q and a memory state h. additive: v.tanh(W q + U h). dot: q.h. scaled_dot: q.h/sqrt(size).
    general: q.W h. concat: v.tanh(W(q + h)), as in the tutorial. concat_joined: v.tanh(W[q; h]). linear: w.[q; h] + b.
    location: (W q)_s. location_word: (W [y; q] + b)_s, y the vector of the previous word. state_free: v.tanh(U h).
    Without attention: fixed, the context tanh(V h) of the last h, or none."""
    size: PositiveInt | None = None
    """Attention size, that of v in additive, concat, concat_joined and state_free; null: the decoder's hidden_size."""
    heads: PositiveInt = 1
    """Number of additive scores side by side, each with an equal part of the attention size and of the context."""
    max_length: PositiveInt = 101
    """For location and location_word only: the most source tokens, <eos> included."""
    scope: choices.ScopeName = "global"
    """global: every source word. local_m: a window around the position of the target word. local_p: a window around a
    predicted position, with a Gaussian. hard: a single word, drawn in training, the likeliest one in translation."""
    window: PositiveInt = 10
    """For local_m and local_p only: D, the number of words in the window on each side of its centre."""
    gate: bool = False
    """Multiply the context by sigmoid(w.q + b), one number per target word."""

    @property
    def has_places(self) -> bool:
        """Whether the score has a number for each position, and so a largest length."""
        return self.score in ("location", "location_word")

    @property
    def has_weights(self) -> bool:
        """Whether source positions are weighted at all."""
        return self.score not in ("none", "fixed")

    @property
    def in_words(self) -> str:
        """Score, heads, scope and gate in words, for the list of runs and the model card."""
        if not self.has_weights:
            return "no attention" if self.score == "none" else "a fixed context"
        heads = f" with {self.heads} heads" if self.heads > 1 else ""
        scope = f", {self.scope} scope" if self.scope != "global" else ""
        return f"{self.score} score{heads}{scope}" + (", gated" if self.gate else "")


class DecoderConfig(Section):
    """An RNN that writes the target words, attending to the memory at every step."""

    kind: choices.DecoderKind = "luong"
    """bahdanau: attend with the previous state, then run the RNN. luong: run the RNN, then attend with its output."""
    cell: choices.Cell = "lstm"
    """Type of the RNN, as in the encoder."""
    embedding_size: PositiveInt = 256
    """Size of the vector of a target word."""
    hidden_size: PositiveInt = 256
    """Size of a decoder state."""
    layers: Layers = 1
    """Number of RNN layers."""
    dropout: Dropout = 0.1
    """Probability that training sets an entry to zero, in word vectors and between layers."""
    variational_dropout: bool = False
    """Let dropout set the same entries to zero at every word of a sentence."""
    word_dropout: Dropout = 0.0
    """Probability that training sets the whole vector of a word to zero."""
    input_feeding: bool = False
    """For luong only: feed the attentional vector to the RNN, beside the vector of the next word."""
    readout: choices.ReadoutName = "concat"
    """Input of the output layer: state s, concat [s; c], attentional tanh(W[c; s]), or maxout of U s + V y + C c; with
    the decoder's state s, the context c, and the vector y of the previous word."""

    @property
    def readout_size(self) -> int | None:
        """Size of the readout; None for concat, where it depends on the memory."""
        return {"state": self.hidden_size, "attentional": self.hidden_size, "maxout": (self.hidden_size + 1) // 2}.get(
            self.readout
        )


class InitialisationConfig(Section):
    """The distributions that the first weights are drawn from."""

    weights: choices.FirstWeights = "torch"
    """torch: those of each of torch's layers. uniform: U(-scale, scale) for all weights, as in Luong et al. 2015, with
    0.1. normal: N(0, scale^2), recurrent matrices orthogonal, biases 0, as in Bahdanau et al. 2015, with 0.01."""
    scale: Positive = 0.1
    """Scale of uniform and normal."""
    output_std: Positive | None = 0.2
    """Standard deviation of the output layer's weights, and of word vectors that are tied to it. null: as the others;
    torch's is 0.04 for a readout of 256: little gradient reaches the attention at first, and a score that is a product
    can settle on one word before it is taught better."""
    embedding_std: Positive | None = None
    """Standard deviation of word vectors that are not tied, whatever the others; null: as the others, torch's 1."""


class ModelConfig(Section):
    """The network: encoder, bridge, attention, decoder."""

    encoder: EncoderConfig = EncoderConfig()
    """The source side: an RNN whose states are the memory."""
    bridge: choices.BridgeName = "copy"
    """The decoder's first state. copy: the encoder's last, h (sizes must agree). linear: tanh(W h + b). backward: the
    same of the backward direction's h. context: tanh(W c + b), with the score fixed, c its context. zero: zeros."""
    attention: AttentionConfig = AttentionConfig()
    """The attention: the weights of the memory's states in the context."""
    decoder: DecoderConfig = DecoderConfig()
    """The target side: an RNN that writes the translation."""
    tied_embeddings: choices.TiedEmbeddings = "none"
    """One matrix for several uses. target: target word vectors and output layer. all: source word vectors as well."""
    initialisation: InitialisationConfig = InitialisationConfig()
    """The first weights."""

    @override
    def problems(self) -> Iterator[Problem]:
        return model_problems(self)


class TrainingConfig(Section):
    """The training: its length, its batches, its optimiser, its noise."""

    epochs: PositiveInt = 10
    """Passes over the training pairs."""
    max_minutes: Positive | None = None
    """Minutes after which training ends, the last validation included; null: no limit."""
    patience: PositiveInt | None = None
    """Validations in a row without a better score after which training ends; null: no such end."""
    best_metric: choices.BestMetric = "auto"
    """Held-out score that the best weights are chosen by: highest BLEU, highest chrF, or lowest loss. auto: bleu, but
    chrf below 1,000 held-out pairs, and where no tokenisation of BLEU finds the words of the target language."""
    overlap: choices.Overlap = "leave_out"
    """Held-out pairs with a sentence that the run of --init-from was trained on. leave_out: they are not scored.
    refuse: the training does not begin."""
    keep: NonNegativeInt = 0
    """Number of newest epochs whose weights are kept, besides the best and the last."""
    batch_size: PositiveInt = 768
    """Size of a batch in the unit of batch_unit, all processes together."""
    batch_unit: choices.BatchUnit = "token"
    """token: tokens of the side that has more, padding included. sentence: sentence pairs."""
    accumulate: PositiveInt = 1
    """Batches per update of the weights; their gradients are summed."""
    optimiser: choices.Optimiser = "adam"
    """adam: Adam. adamw: Adam with decoupled weight decay. adadelta: Adadelta, which goes with lr 1.0. sgd: plain
    stochastic gradient descent."""
    lr: Positive = 1e-3
    """Learning rate; the highest one where a warm-up or a schedule changes it."""
    weight_decay: NonNegative = 0.0
    """Weight decay, for adamw and sgd only."""
    schedule: choices.Schedule = "constant"
    """Learning rate after the warm-up. constant: lr. linear, cosine: down to 0 at the end. inverse_sqrt: divided by the
    square root of the updates. plateau: halved after each validation without a better score. halving: halved every
    halving_every epochs."""
    halving_after: NonNegative = 5.0
    """For halving only: epochs before the learning rate is halved for the first time."""
    halving_every: Positive = 1.0
    """For halving only: epochs between two halvings."""
    warmup_steps: NonNegativeInt = 0
    """Updates during which the learning rate climbs to lr."""
    loss_unit: choices.LossUnit = "token"
    """The gradient is that of the mean loss per target token, or per sentence (summed over its tokens)."""
    clip_norm: Positive | None = 1.0
    """Largest norm of the gradient; a larger one is scaled down to it; null: any norm."""
    doubly_stochastic: NonNegative = 0.0
    """Weight of a penalty that asks the attention weights of each source word to sum to 1 over the target words."""
    label_smoothing: Dropout = 0.0
    """Fraction of the true word's probability that is spread over the whole vocabulary."""
    ema_decay: Dropout = 0.0
    """Decay per update of a moving average of the weights, which is kept as best if it scores better; 0: no average."""
    teacher_forcing: Probability = 0.5
    """Probability that the decoder is fed the true words and not its own predictions; with a decay, the first one."""
    teacher_forcing_unit: choices.ForcingUnit = "sentence"
    """Draw teacher forcing once per sentence or once per token."""
    teacher_forcing_decay: choices.ForcingDecay = "constant"
    """Curve by which the probability of teacher forcing falls during training."""
    teacher_forcing_half: PositiveInt = 5000
    """Updates after which a decay has halved the probability of teacher forcing."""
    teacher_forcing_min: Probability = 0.0
    """Lower bound of a decaying probability of teacher forcing."""
    bpe_dropout: Dropout = 0.0
    """Probability that a merge of BPE is skipped, drawn anew in each epoch; needs text.unit bpe."""
    hidden_words: Probability | None = None
    """Probability that one of the words that both sides of a pair share is <unk> on both, which teaches the model to
    copy. null: 0.05 with bpe, where no other word of the training split is unknown, else 0."""
    seed: Seed = 1
    """Seed of all random numbers; on a CPU, the same seed gives the same run."""
    deterministic: bool = False
    """On a GPU, use deterministic algorithms only; training ends with an error where there is none."""
    device: choices.DeviceName = "auto"
    """Device to compute on. auto: the first of cuda, mps and cpu that is available."""
    precision: choices.PrecisionName = "auto"
    """Precision of matrix products. fp32: full. bf16: fp32 numbers, multiplied as bf16. bf16-mixed: bf16 numbers
    wherever that is safe. auto: the fastest one on the device."""
    save_minutes: Positive = 2.0
    """Most minutes between two checkpoints; one more is saved after each epoch."""
    license: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", examples=["mit", "cc-by-4.0"])] | None = None
    """Licence of the model that its card states, by the name that Hugging Face has for it; null: none is stated."""
    tensorboard: bool = False
    """Write metrics and attention pictures for TensorBoard as well."""

    @property
    def metric(self) -> choices.Metric:
        """The metric of best_metric; of auto, that of most languages, until the corpus decides."""
        return "bleu" if self.best_metric == "auto" else self.best_metric


class DecodingConfig(Section):
    """The search for translations."""

    beam_size: BeamSize = 5
    """Hypotheses of a sentence that are kept at each step; 1: greedy search."""
    n_best: BeamSize = 1
    """Translations of a sentence, best first; at most beam_size. With sampling, the number of samples, of which equal
    ones are given once."""
    prune: Positive | None = 1.5
    """Hypotheses are dropped when their log-probability is more than this below the best of their sentence; null: none
    is."""
    length_penalty: choices.LengthPenalty = "average"
    """Divisor of a translation's log-probability when translations of a sentence are compared. none: 1. average: its
    number of tokens n. gnmt: ((5 + n) / 6) ^ length_penalty_alpha."""
    length_penalty_alpha: Annotated[float, Field(ge=0.0, le=10.0)] = 1.0
    """For gnmt only: its exponent; a larger one prefers longer translations."""
    coverage_penalty: NonNegative = 0.0
    """Weight of the penalty for source tokens without attention; GNMT's beta."""
    min_length: NonNegativeInt = 0
    """Fewest tokens of a translation."""
    no_repeat_ngram_size: NonNegativeInt = 3
    """n-grams of this many tokens, or five times as many characters, occur no more often in a translation than the most
    frequent one in its source; 0: no such limit. Words of Chinese are characters, too."""
    sampling: bool = False
    """Draw each token by its probability; no search, and beam_size does not matter."""
    temperature: Positive = 1.0
    """For sampling only: probabilities to the power of 1 / temperature are drawn from; below 1, likely tokens come more
    often."""
    top_k: PositiveInt | None = None
    """For sampling only: number of most probable tokens that are drawn from; null: all."""
    seed: Seed = 1
    """For sampling only: seed of the random numbers; the same sentence and seed give the same sample."""
    tidy_input: bool = True
    """Write texts as the training sentences are written before they are translated: case, spaces at marks, final
    mark."""
    max_source_length: PositiveInt = 100
    """Most tokens of a sentence, or five times as many characters; a longer one is translated in parts."""
    batch_size: PositiveInt = 128
    """Most sentences that a thread translates at once; it does not change the translations."""
    engine: choices.EngineName = "auto"
    """Program that computes. onnx: ONNX Runtime, on the CPU, with the exported model. torch: on any device. auto: onnx,
    but torch on other devices than the CPU, and where no exported model is there or can be made."""
    precision: choices.DecodingPrecision = "fp32"
    """Precision of the output layer's product. int8: weights and features are rounded to 8 and 7 bits; with onnx."""
    threads: PositiveInt | None = None
    """Threads that compute; null: as many as there are cores."""
    max_length_factor: Annotated[float, Field(ge=0.0, le=100.0)] | None = None
    """A translation has at most max_length_factor * source tokens + max_length_extra tokens. null: 1.5, or 1.4 times
    the target tokens per source token of the training pairs where that is more."""
    max_length_extra: Annotated[int, Field(ge=1, le=choices.MOST_EXTRA_TOKENS)] = 10
    """Tokens, or five times as many characters, that a translation may have besides those of max_length_factor."""

    @override
    def problems(self) -> Iterator[Problem]:
        return decoding_problems(self)

    @property
    def in_words(self) -> str:
        """The search in words, for reports and the model card."""
        return f"beam {self.beam_size}" if self.beam_size > 1 else "greedy"


class Config(Section):
    """A whole config: corpus, model, training and search."""

    data: DataConfig = DataConfig()
    """The sentence pairs (read by s2s prepare)."""
    text: TextConfig = TextConfig()
    """The way from text to ids (read by s2s prepare)."""
    model: ModelConfig = ModelConfig()
    """The network (read by s2s train)."""
    training: TrainingConfig = TrainingConfig()
    """The training (read by s2s train)."""
    decoding: DecodingConfig = DecodingConfig()
    """The search for translations (read by s2s train for its validations, and by s2s translate)."""

    @override
    def problems(self) -> Iterator[Problem]:
        return section_problems(self)
