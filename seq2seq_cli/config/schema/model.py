"""The section ``model``: encoder, bridge, attention, decoder and first weights."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field
from typing_extensions import override

from seq2seq_cli.config import choices
from seq2seq_cli.config.schema import Dropout, Positive, PositiveInt, Problem, Section, clash, named

Layers = Annotated[int, Field(ge=1, le=4)]


class EncoderConfig(Section):
    """An RNN that reads the source words; all its states are kept (the memory)."""

    cell: choices.Cell = "lstm"
    """Type of the RNN. gru: torch's, which resets after the product, r (U h). gru_cho: the paper's, U (r h), which is
    slower. rnn: tanh(W x + U h + b)."""
    directions: Literal["one", "joined", "summed"] = "one"
    """one: left to right. joined: both ways, a state is [forward; backward]. summed: forward + backward."""
    embedding_size: PositiveInt = 256
    """Size of the vector of a source word."""
    hidden_size: PositiveInt = 256
    """Size of an encoder state in one direction."""
    layers: Layers = 1
    """Number of RNN layers."""
    dropout: Dropout = 0.0
    """Probability that training sets an entry to zero, in word vectors and between layers."""
    word_dropout: Dropout = 0.0
    """Probability that training sets the whole vector of a word to zero."""
    state_dropout: Dropout = 0.0
    """Probability that training sets an entry to zero, in the states that the decoder attends to."""
    reverse: bool = False
    """Read the source backwards, from its last word."""

    @property
    def state_size(self) -> int:
        """Size of the state of a word, of all directions."""
        return self.hidden_size * (2 if self.directions == "joined" else 1)


_OfQuery: TypeAlias = Literal["additive", "dot", "scaled_dot", "general", "concat", "concat_joined", "linear"]
_OfWord: TypeAlias = Literal["general_word", "location_word"]
ScoreName: TypeAlias = Literal[_OfQuery, _OfWord, "location", "state_free", "fixed", "none"]


class AttentionConfig(Section):
    """The score of each source position against the decoder's query, and the positions that it may attend to."""

    score: ScoreName = "general"
    """Score of a query q and a memory state h. additive: v.tanh(W q + U h). dot: q.h. scaled_dot: q.h/sqrt(H), H the
    length of q. general: q.W h. general_word: q.W[h; x], x the vector of the source word before (with readout lexical).
    concat: v.tanh(W(q + h)), as in tutorials. concat_joined: v.tanh(W[q; h]). linear: w.[q; h] + b. location: (W q)_s.
    location_word: (W [y; q] + b)_s, y the vector of the previous target word. state_free: v.tanh(U h). Without
    attention: fixed, the context tanh(V h) of the last h, or none."""
    size: PositiveInt | None = None
    """Attention size: the length of v (additive, concat, concat_joined, state_free); null: decoder.hidden_size."""
    max_length: PositiveInt = 101
    """For location and location_word only: the most source tokens, <eos> included."""
    scope: Literal["global", "local_m", "local_p", "hard"] = "global"
    """global: every source word. local_m: a window around the position of the target word. local_p: a window around a
    predicted position, with a Gaussian. hard: a single word, drawn in training, the likeliest one in translation."""
    window: PositiveInt = 10
    """For local_m and local_p only: D, the number of words in the window on each side of its centre."""

    @property
    def has_places(self) -> bool:
        """Whether the score has a number for each position, and so a largest length."""
        return self.score in ("location", "location_word")

    @property
    def has_weights(self) -> bool:
        """Whether source positions are weighted at all."""
        return self.score not in ("none", "fixed")


class DecoderConfig(Section):
    """An RNN that writes the target words, attending to the memory at every step."""

    kind: Literal["bahdanau", "luong"] = "luong"
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
    word_dropout: Dropout = 0.0
    """Probability that training sets the whole vector of a word to zero."""
    readout_dropout: Dropout = 0.0
    """Probability that training sets an entry to zero, in the input of the output layer, and where it is fed back."""
    input_feeding: bool = False
    """For luong only: feed the attentional vector to the RNN, beside the vector of the previous word."""
    readout: choices.ReadoutName = "concat"
    """Input of the output layer: state s, concat [s; c], attentional tanh(W[c; s]), lexical, which adds what the source
    words attended to mean alone, or maxout of U s + V y + C c; with the decoder's state s, the context c, and the
    vector y of the previous word."""

    @property
    def readout_size(self) -> int | None:
        """Size of the readout; None for concat, where it depends on the memory."""
        sizes = {"concat": None, "lexical": self.embedding_size, "maxout": (self.hidden_size + 1) // 2}
        return sizes.get(self.readout, self.hidden_size)


class InitialisationConfig(Section):
    """The distributions that the first weights are drawn from."""

    weights: Literal["torch", "uniform", "normal"] = "torch"
    """torch: as torch draws them. uniform: U(-scale, scale) for all weights, as in Luong et al. 2015, with
    0.1. normal: N(0, scale^2), recurrent matrices orthogonal, biases 0, as in Bahdanau et al. 2015, with 0.01."""
    scale: Positive = 0.1
    """Scale of uniform and normal."""
    output_std: Positive | None = 0.2
    """Standard deviation of the output layer's first weights, and of word vectors tied to it. null: as weights says.
    With small ones, as torch's (0.04 for a readout of 256), dot and general may settle on one source word early."""
    embedding_std: Positive | None = None
    """Standard deviation of the first word vectors that are not tied. null: as weights says; torch's is 1."""
    from_pairs: bool = False
    """Let word vectors begin in directions counted from the pairs, in which units that translate one another are
    alike."""


class ModelConfig(Section):
    """The network: encoder, bridge, attention, decoder."""

    prefix: ClassVar[str] = "model."

    encoder: EncoderConfig = EncoderConfig()
    """The source side: an RNN whose states are the memory."""
    bridge: Literal["copy", "linear", "backward", "context", "zero"] = "copy"
    """The decoder's first state. copy: the encoder's last, h (sizes must agree). linear: tanh(W h + b). backward: the
    same of the backward direction's h. context: tanh(W c + b), c the constant context of score: fixed. zero: zeros."""
    attention: AttentionConfig = AttentionConfig()
    """The attention: the weights of the memory's states in the context."""
    decoder: DecoderConfig = DecoderConfig()
    """The target side: an RNN that writes the translation."""
    tied_embeddings: Literal["none", "target", "all"] = "none"
    """One matrix for several uses. target: target word vectors and output layer. all: source word vectors as well."""
    initialisation: InitialisationConfig = InitialisationConfig()
    """The first weights."""

    @property
    def memory_size(self) -> int:
        """Size of a vector of the memory: the state of a source word, and for a lexical readout the word's vector."""
        is_lexical = self.decoder.readout == "lexical"
        return self.encoder.state_size + (self.encoder.embedding_size if is_lexical else 0)

    @property
    def in_words(self) -> str:
        """Decoder and attention in words, for the list of runs and the model card."""
        score, scope = self.attention.score, self.attention.scope
        scored = f"{score} score" + (f", {scope} scope" if scope != "global" else "")
        attention = {"none": "no attention", "fixed": "a fixed context"}.get(score, scored)
        return f"{self.decoder.kind} decoder, {attention}"

    @override
    def problems(self) -> Iterator[Problem]:
        """Parts that do not go together, states and vectors that do not fit."""
        encoder, decoder, attention, score = self.encoder, self.decoder, self.attention, "attention.score"
        feeding, kind, readout = "decoder.input_feeding", "decoder.kind", "decoder.readout"
        is_one, is_joined = encoder.directions == "one", encoder.directions == "joined"
        is_luong, no_score, no_weights = decoder.kind == "luong", attention.score == "none", not attention.has_weights
        has_unread_context = is_luong and decoder.readout == "state" and not no_score
        has_no_words = decoder.readout == "lexical" and no_weights and not no_score
        lacks_words = attention.score == "general_word" and decoder.readout != "lexical"
        rules = (
            (encoder.reverse and not is_one, "encoder.reverse", "encoder.directions", "one direction reads backwards"),
            (self.bridge == "backward" and not is_joined, "bridge", "encoder.directions", "choose joined"),
            (self.bridge == "context" and attention.score != "fixed", "bridge", score, "choose fixed"),
            (no_weights and attention.scope != "global", "attention.scope", score, "nothing is scored"),
            (no_weights and encoder.state_dropout, "encoder.state_dropout", score, "no state is attended to"),
            (no_score and self.bridge == "zero", "bridge", score, "nothing of the source would reach the decoder"),
            (no_score and not is_luong, kind, score, "the RNN reads no context; choose luong"),
            (no_score and decoder.readout != "state", readout, score, "there is no context to read; choose state"),
            (has_unread_context, kind, readout, "the context is read nowhere; choose concat, attentional or maxout"),
            (has_no_words, readout, score, "no source word is attended to"),
            (lacks_words, score, readout, "the memory has no word vectors; choose lexical, or general"),
            (decoder.input_feeding and not is_luong, feeding, kind, "its RNN reads the context already"),
            (decoder.input_feeding and decoder.readout != "attentional", feeding, readout, "choose attentional"),
        )
        yield from (clash(self, key, other, why) for is_broken, key, other, why in rules if is_broken)
        yield from self._size_problems()
        if self.tied_embeddings != "none":
            yield from self._tying_problems()

    def _size_problems(self) -> Iterator[Problem]:
        """A state that is copied must fit as it is; some scores take a query and a state of one size."""
        encoder, decoder, score = self.encoder, self.decoder, self.attention.score
        joined = f", twice with model.encoder.directions {encoder.directions}" if encoder.directions == "joined" else ""
        memory = f"model.encoder.hidden_size ({encoder.hidden_size}{joined})"
        sizes = f"{memory} and {named(self, 'decoder.hidden_size')} must be equal"
        keys = ("encoder.hidden_size", "decoder.hidden_size", "encoder.directions")
        is_equal = encoder.state_size == decoder.hidden_size
        if self.bridge == "copy":
            why = "the encoder's last state is the decoder's first; or choose another model.bridge than copy"
            for name in ("cell", "layers"):
                if getattr(encoder, name) != getattr(decoder, name):
                    ours, theirs = f"encoder.{name}", f"decoder.{name}"
                    both = f"{named(self, ours)} and {named(self, theirs)}"
                    yield (ours, theirs, "bridge"), f"{both} must be equal: {why}"
            if not is_equal:
                yield (*keys, "bridge"), f"{sizes}: {why}"
        if decoder.readout == "lexical" and encoder.embedding_size != decoder.embedding_size:
            source, target = named(self, "encoder.embedding_size"), named(self, "decoder.embedding_size")
            keys_of_words = ("decoder.readout", "encoder.embedding_size", "decoder.embedding_size")
            yield (keys_of_words, f"{source} and {target} must be equal for {named(self, 'decoder.readout')}")
        if score in ("dot", "scaled_dot", "concat") and not is_equal:
            verb = "adds" if score == "concat" else "multiplies"
            why = f"{named(self, 'attention.score')}, which {verb} them entry by entry"
            yield ("attention.score", *keys), f"{sizes} for {why}"

    def _tying_problems(self) -> Iterator[Problem]:
        encoder, decoder, tied = self.encoder, self.decoder, named(self, "tied_embeddings")
        target, source = named(self, "decoder.embedding_size"), named(self, "encoder.embedding_size")
        size = decoder.readout_size or decoder.hidden_size + encoder.state_size
        if size != decoder.embedding_size:
            keys = ("tied_embeddings", "decoder.embedding_size", "decoder.readout", "decoder.hidden_size")
            both = target if self.tied_embeddings == "target" else f"{source} and {target}"
            yield keys, f"{tied} needs {both} to be {size}, the size of {named(self, 'decoder.readout')}"
        if self.tied_embeddings == "all" and encoder.embedding_size != decoder.embedding_size:
            sizes = ("tied_embeddings", "encoder.embedding_size", "decoder.embedding_size")
            yield sizes, f"{source} and {target} must be equal: {tied} makes them one matrix"
