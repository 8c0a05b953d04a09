"""Rules of what goes together: a broken rule names the keys that disagree, and says why."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from seq2seq_cli.config.yaml12 import shown

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.config import Config
    from seq2seq_cli.config.schema.decoding import DecodingConfig
    from seq2seq_cli.config.schema.model import ModelConfig
    from seq2seq_cli.config.schema.section import Section
    from seq2seq_cli.config.schema.text import TextConfig

Problem: TypeAlias = tuple[Sequence[str], str]
"""A broken rule: the keys that disagree, relative to the section that checks, and a message that has them in full."""


def model_problems(model: "ModelConfig") -> Iterator[Problem]:
    """The broken rules within a model."""
    yield from _bridge(model)
    yield from _encoder(model)
    yield from _sizes_of_the_score(model)
    yield from _without_attention(model)
    yield from _decoder(model)
    yield from _tied_embeddings(model)


def section_problems(config: "Config") -> Iterator[Problem]:
    """The broken rules between sections; a key of data or text that is not stated is left to the prepared folder."""
    yield from _places(config)
    yield from shared_vocabulary_problems(config)
    yield from _weight_decay(config)
    yield from _doubly_stochastic(config)
    yield from _teacher_forcing(config)


def text_problems(text: "TextConfig") -> Iterator[Problem]:
    """One vocabulary for both sides has one size and one smallest count."""
    for ours, theirs in (("src.min_count", "tgt.min_count"), ("src.max_size", "tgt.max_size")):
        if text.shares_vocabulary and _value(text, ours) != _value(text, theirs):
            why = "text.shared_vocabulary makes one vocabulary for both"
            yield (ours, theirs), f"{_named(text, ours)} and {_named(text, theirs)} must be equal: {why}"


def decoding_problems(decoding: "DecodingConfig") -> Iterator[Problem]:
    """The broken rules within a search."""
    if decoding.engine == "torch" and decoding.precision != "fp32":
        yield _needs(decoding, "precision", "engine", "onnx or auto", "torch translates in fp32")
    if decoding.sampling:
        return
    if decoding.n_best > decoding.beam_size:
        larger, size = _named(decoding, "n_best"), _named(decoding, "beam_size")
        yield ("n_best", "beam_size"), f"{larger} must be at most {size}: a beam holds no more translations"
    for key, value in (("temperature", 1.0), ("top_k", None)):
        if getattr(decoding, key) != value:
            yield _needs(decoding, key, "sampling", "true", "beam search draws nothing")


def _places(config: "Config") -> Iterator[Problem]:
    """A location score has a largest length, for which the sources are measured as they were prepared."""
    if config.model.attention.has_places and config.training.bpe_dropout:
        why = "the score has one weight per source position, and words split differently have more tokens"
        yield _clash(config, "training.bpe_dropout", "model.attention.score", why)


def shared_vocabulary_problems(config: "Config") -> Iterator[Problem]:
    """One matrix for the word vectors of both sides needs one vocabulary."""
    text = config.text
    apart = "shared_vocabulary" in text.model_fields_set and not text.shares_vocabulary
    if config.model.tied_embeddings == "all" and apart:
        why = "the source words must be the target words"
        yield _needs(config, "model.tied_embeddings", "text.shared_vocabulary", "true", why)


def _weight_decay(config: "Config") -> Iterator[Problem]:
    """Adam would rescale a decay that is added to the gradient; Loshchilov & Hutter 2019, section 2; Adadelta too."""
    if config.training.weight_decay and config.training.optimiser in ("adam", "adadelta"):
        why = "it would scale the decay as it scales gradients; choose adamw, or training.weight_decay=0"
        yield _clash(config, "training.weight_decay", "training.optimiser", why)


def _doubly_stochastic(config: "Config") -> Iterator[Problem]:
    """The penalty needs weights, and a gradient that goes through them."""
    attention, key = config.model.attention, "training.doubly_stochastic"
    if not config.training.doubly_stochastic:
        return
    if not attention.has_weights:
        yield _clash(config, key, "model.attention.score", "there are no attention weights")
    if attention.scope == "hard":
        yield _clash(config, key, "model.attention.scope", "draws have no gradient")


def _teacher_forcing(config: "Config") -> Iterator[Problem]:
    """A probability cannot fall to a higher one."""
    training = config.training
    if training.teacher_forcing_decay != "constant" and training.teacher_forcing_min > training.teacher_forcing:
        least, first = "training.teacher_forcing_min", "training.teacher_forcing"
        yield (least, first), f"{_named(config, least)} must be at most {_named(config, first)}, which falls to it"


def _bridge(model: "ModelConfig") -> Iterator[Problem]:
    """A state that is copied must fit as it is; others need what they are made of."""
    encoder, decoder = model.encoder, model.decoder
    if model.bridge == "backward" and encoder.directions != "joined":
        why = "this bridge takes the state of the backward direction"
        yield _needs(model, "bridge", "encoder.directions", "joined", why)
    if model.bridge == "context" and model.attention.score != "fixed":
        yield _needs(model, "bridge", "attention.score", "fixed", "no other has one context for all steps")
    if model.bridge != "copy":
        return
    why = "must be equal: the encoder's last state is the decoder's first; or choose another model.bridge than copy"
    for name in ("cell", "layers"):
        if getattr(encoder, name) != getattr(decoder, name):
            ours, theirs = f"encoder.{name}", f"decoder.{name}"
            yield (ours, theirs, "bridge"), f"{_named(model, ours)} and {_named(model, theirs)} {why}"
    if encoder.memory_size != decoder.hidden_size:
        keys = ("encoder.hidden_size", "decoder.hidden_size", "encoder.directions", "bridge")
        yield keys, f"{_memory(model)} and {_named(model, 'decoder.hidden_size')} {why}"


def _encoder(model: "ModelConfig") -> Iterator[Problem]:
    if model.encoder.reverse and model.encoder.directions != "one":
        why = "one of two directions reads from the end already"
        yield _needs(model, "encoder.reverse", "encoder.directions", "one", why)


def _sizes_of_the_score(model: "ModelConfig") -> Iterator[Problem]:
    """Some scores multiply or add a query and a memory state entry by entry: both have one size."""
    score, size = model.attention.score, model.decoder.hidden_size
    if score in ("dot", "scaled_dot", "concat") and model.encoder.memory_size != size:
        keys = ("attention.score", "encoder.hidden_size", "decoder.hidden_size", "encoder.directions")
        why = f"{_named(model, keys[0])}, which {'adds' if score == 'concat' else 'multiplies'} them entry by entry"
        yield keys, f"{_memory(model)} and {_named(model, 'decoder.hidden_size')} must be equal for {why}"


def _without_attention(model: "ModelConfig") -> Iterator[Problem]:
    """`fixed` and `none` score nothing; with `none` there is no context either."""
    score = "attention.score"
    if model.attention.has_weights:
        return
    if model.attention.scope != "global":
        yield _clash(model, "attention.scope", score, "nothing is scored")
    if model.encoder.state_dropout:
        yield _clash(model, "encoder.state_dropout", score, "no state is attended to")
    if model.attention.score != "none":
        return
    if model.bridge == "zero":
        yield _clash(model, "bridge", score, "nothing of the source would reach the decoder")
    if model.decoder.kind != "luong":
        yield _clash(model, "decoder.kind", score, "the RNN reads no context; choose luong")
    if model.decoder.readout != "state":
        yield _clash(model, "decoder.readout", score, "there is no context to read; choose state")


def _decoder(model: "ModelConfig") -> Iterator[Problem]:
    decoder = model.decoder
    if decoder.kind == "luong" and decoder.readout == "state" and model.attention.score != "none":
        why = "the context would be used nowhere; choose concat, attentional or maxout"
        yield _clash(model, "decoder.kind", "decoder.readout", why)
    if decoder.input_feeding and decoder.kind != "luong":
        yield _clash(model, "decoder.input_feeding", "decoder.kind", "its RNN reads the context already")
    if decoder.input_feeding and decoder.readout != "attentional":
        why = "input feeding feeds the attentional vector"
        yield _needs(model, "decoder.input_feeding", "decoder.readout", "attentional", why)


def _tied_embeddings(model: "ModelConfig") -> Iterator[Problem]:
    if model.tied_embeddings == "none":
        return
    encoder, decoder, tied = model.encoder, model.decoder, _named(model, "tied_embeddings")
    target, source = _named(model, "decoder.embedding_size"), _named(model, "encoder.embedding_size")
    size = decoder.readout_size or decoder.hidden_size + encoder.memory_size
    if size != decoder.embedding_size:
        keys = ("tied_embeddings", "decoder.embedding_size", "decoder.readout", "decoder.hidden_size")
        yield keys, f"{tied} needs {target} to be {size}, the size of {_named(model, 'decoder.readout')}"
    if model.tied_embeddings == "all" and encoder.embedding_size != decoder.embedding_size:
        sizes = ("tied_embeddings", "encoder.embedding_size", "decoder.embedding_size")
        yield sizes, f"{source} and {target} must be equal: {tied} makes them one matrix"


def _clash(section: "Section", key: str, other: str, why: str) -> Problem:
    return (key, other), f"{_named(section, key)} and {_named(section, other)} do not go together: {why}"


def _needs(section: "Section", key: str, other: str, wanted: str, why: str) -> Problem:
    return (key, other), f"{_named(section, key)} needs {_named(section, other)} to be {wanted}: {why}"


def _named(section: "Section", key: str) -> str:
    """A key in full with its value, such as "model.decoder.kind (luong)"; ``key`` is relative to the section."""
    prefixes = {"DecodingConfig": "decoding.", "ModelConfig": "model.", "TextConfig": "text."}
    prefix = prefixes.get(type(section).__name__, "")
    return f"{prefix}{key} ({shown(_value(section, key))})"


def _value(section: "Section", key: str) -> object:
    return reduce(getattr, key.split("."), section)


def _memory(model: "ModelConfig") -> str:
    """The size of a memory state with its key."""
    encoder = model.encoder
    joined = f", twice with model.encoder.directions {encoder.directions}" if encoder.directions == "joined" else ""
    return f"model.encoder.hidden_size ({encoder.hidden_size}{joined})"
