"""Rules of what goes together: a broken rule names the keys that disagree, and says why."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from seq2seq_cli.config.schema import Config, DecoderConfig, EncoderConfig, ModelConfig

Problem: TypeAlias = tuple[Sequence[str], str]
"""A broken rule: the keys that disagree, relative to the section that checks, and a message that has them in full."""


def model_problems(model: "ModelConfig") -> Iterator[Problem]:
    """The broken rules within a model."""
    yield from _bridge(model)
    yield from _encoder(model)
    yield from _variational_dropout("encoder", model.encoder)
    yield from _variational_dropout("decoder", model.decoder)
    yield from _sizes_of_the_score(model)
    yield from _heads(model)
    yield from _without_attention(model)
    yield from _decoder(model)
    yield from _tied_embeddings(model)


def section_problems(config: "Config") -> Iterator[Problem]:
    """The broken rules between sections; a key of data or text that is not stated is left to the prepared folder."""
    yield from longest_source_problems(config)
    yield from shared_vocabulary_problems(config)
    yield from _weight_decay(config)


def longest_source_problems(config: "Config") -> Iterator[Problem]:
    """The location score has a place for each source token, and so a largest length."""
    attention, data = config.model.attention, config.data
    limited = attention.score == "location" and "max_tokens" in data.model_fields_set
    if limited and data.max_tokens >= attention.max_length:
        yield (
            ("model.attention.max_length", "data.max_tokens"),
            (
                f"model.attention.max_length ({attention.max_length}) must be above data.max_tokens"
                f" ({data.max_tokens}): the location score has a place for each source token and one for <eos>"
            ),
        )


def shared_vocabulary_problems(config: "Config") -> Iterator[Problem]:
    """One matrix for the word vectors of both sides needs one vocabulary."""
    text = config.text
    apart = "shared_vocabulary" in text.model_fields_set and not text.shared_vocabulary
    if config.model.tied_embeddings == "all" and apart:
        yield (
            ("model.tied_embeddings", "text.shared_vocabulary"),
            (
                "model.tied_embeddings (all) needs text.shared_vocabulary (false) to be true:"
                " the source words must be the target words"
            ),
        )


def _weight_decay(config: "Config") -> Iterator[Problem]:
    """Adam scales a decay that is part of the gradient, as it scales gradients; Loshchilov & Hutter 2019, section 2."""
    training = config.training
    if training.weight_decay and training.optimiser == "adam":
        yield (
            ("training.weight_decay", "training.optimiser"),
            (
                f"training.weight_decay ({training.weight_decay}) and training.optimiser (adam) do not go together:"
                " Adam would scale the decay as it scales gradients; choose adamw"
            ),
        )


def _bridge(model: "ModelConfig") -> Iterator[Problem]:
    """A state that is copied must fit as it is."""
    if model.bridge != "copy":
        return
    encoder, decoder = model.encoder, model.decoder
    why = "must be equal: the encoder's last state is the decoder's first; or choose another model.bridge than copy"
    if encoder.cell != decoder.cell:
        yield (
            ("encoder.cell", "decoder.cell", "bridge"),
            f"model.encoder.cell ({encoder.cell}) and model.decoder.cell ({decoder.cell}) {why}",
        )
    if encoder.memory_size != decoder.hidden_size:
        keys = ("encoder.hidden_size", "decoder.hidden_size", "encoder.directions", "bridge")
        yield keys, f"{_memory(model)} and model.decoder.hidden_size ({decoder.hidden_size}) {why}"
    if encoder.layers != decoder.layers:
        yield (
            ("encoder.layers", "decoder.layers", "bridge"),
            f"model.encoder.layers ({encoder.layers}) and model.decoder.layers ({decoder.layers}) {why}",
        )


def _encoder(model: "ModelConfig") -> Iterator[Problem]:
    if model.encoder.residual and model.encoder.layers < 3:
        yield (
            ("encoder.residual", "encoder.layers"),
            (
                f"model.encoder.residual (true) needs model.encoder.layers ({model.encoder.layers}) to be 3 or 4:"
                " it begins with the third layer"
            ),
        )


def _variational_dropout(side: str, config: "EncoderConfig | DecoderConfig") -> Iterator[Problem]:
    if config.variational_dropout and not config.dropout:
        yield (
            (f"{side}.variational_dropout", f"{side}.dropout"),
            (
                f"model.{side}.variational_dropout (true) needs model.{side}.dropout ({config.dropout}) to be above 0:"
                " it drops the same entries at every word"
            ),
        )


def _sizes_of_the_score(model: "ModelConfig") -> Iterator[Problem]:
    """Some scores multiply or add a query and a memory state entry by entry: both have one size."""
    score, size = model.attention.score, model.decoder.hidden_size
    if score in ("dot", "scaled_dot", "concat") and model.encoder.memory_size != size:
        yield (
            ("attention.score", "encoder.hidden_size", "decoder.hidden_size", "encoder.directions"),
            (
                f"{_memory(model)} and model.decoder.hidden_size ({size}) must be equal for model.attention.score"
                f" ({score}), which {'adds' if score == 'concat' else 'multiplies'} them entry by entry"
            ),
        )


def _heads(model: "ModelConfig") -> Iterator[Problem]:
    attention = model.attention
    if attention.heads == 1:
        return
    heads = f"model.attention.heads ({attention.heads})"
    if attention.score != "additive":
        yield (
            ("attention.heads", "attention.score"),
            f"{heads} needs model.attention.score ({attention.score}) to be additive: no other score has heads",
        )
    if attention.scope == "hard":
        yield (
            ("attention.heads", "attention.scope"),
            f"{heads} and model.attention.scope (hard) do not go together: hard attention draws once per step",
        )
    size = attention.size or model.decoder.hidden_size
    if size % attention.heads:
        name = "model.attention.size" if attention.size else "model.decoder.hidden_size"
        yield (
            ("attention.heads", "attention.size", "decoder.hidden_size"),
            f"{heads} must divide {name} ({size}): each head has an equal part of it",
        )
    if model.encoder.memory_size % attention.heads:
        yield (
            ("attention.heads", "encoder.hidden_size", "encoder.directions"),
            f"{heads} must divide {_memory(model)}: each head makes an equal part of the context",
        )


def _without_attention(model: "ModelConfig") -> Iterator[Problem]:
    """`fixed` and `none` score nothing; with `none` there is no context either."""
    attention, decoder = model.attention, model.decoder
    if attention.score not in ("fixed", "none"):
        return
    score = f"model.attention.score ({attention.score})"
    if attention.scope != "global":
        yield (
            ("attention.scope", "attention.score"),
            f"model.attention.scope ({attention.scope}) and {score} do not go together: nothing is scored",
        )
    if attention.score == "none" and model.bridge == "zero":
        yield (
            ("bridge", "attention.score"),
            f"model.bridge (zero) and {score} do not go together: nothing of the source would reach the decoder",
        )
    if attention.score == "none" and decoder.kind != "luong":
        yield (
            ("decoder.kind", "attention.score"),
            (
                f"model.decoder.kind ({decoder.kind}) and {score} do not go together: the RNN reads no context;"
                " choose luong"
            ),
        )
    if attention.score == "none" and decoder.readout != "state":
        yield (
            ("decoder.readout", "attention.score"),
            (
                f"model.decoder.readout ({decoder.readout}) and {score} do not go together:"
                " there is no context to read; choose state"
            ),
        )


def _decoder(model: "ModelConfig") -> Iterator[Problem]:
    decoder = model.decoder
    if decoder.kind == "luong" and decoder.readout == "state" and model.attention.score != "none":
        yield (
            ("decoder.readout", "decoder.kind"),
            (
                "model.decoder.kind (luong) and model.decoder.readout (state) do not go together: the context would be"
                " used nowhere; choose concat, attentional or maxout"
            ),
        )
    if decoder.input_feeding and decoder.kind != "luong":
        yield (
            ("decoder.input_feeding", "decoder.kind"),
            (
                "model.decoder.input_feeding (true) and model.decoder.kind (bahdanau) do not go together:"
                " its RNN reads the context already"
            ),
        )
    if decoder.input_feeding and decoder.readout != "attentional":
        yield (
            ("decoder.input_feeding", "decoder.readout"),
            (
                f"model.decoder.input_feeding (true) needs model.decoder.readout ({decoder.readout}) to be attentional:"
                " it feeds the attentional vector"
            ),
        )


def _tied_embeddings(model: "ModelConfig") -> Iterator[Problem]:
    if model.tied_embeddings == "none":
        return
    encoder, decoder, tied = model.encoder, model.decoder, f"model.tied_embeddings ({model.tied_embeddings})"
    size = decoder.readout_size or decoder.hidden_size + encoder.memory_size
    if size != decoder.embedding_size:
        yield (
            ("tied_embeddings", "decoder.embedding_size", "decoder.readout", "decoder.hidden_size"),
            (
                f"{tied} needs model.decoder.embedding_size ({decoder.embedding_size}) to be {size},"
                f" the size of model.decoder.readout ({decoder.readout})"
            ),
        )
    if model.tied_embeddings == "all" and encoder.embedding_size != decoder.embedding_size:
        yield (
            ("tied_embeddings", "encoder.embedding_size", "decoder.embedding_size"),
            (
                f"model.encoder.embedding_size ({encoder.embedding_size}) and model.decoder.embedding_size"
                f" ({decoder.embedding_size}) must be equal: {tied} makes them one matrix"
            ),
        )


def _memory(model: "ModelConfig") -> str:
    """The size of a memory state with its key."""
    encoder = model.encoder
    joined = f", twice with model.encoder.directions {encoder.directions}" if encoder.directions == "joined" else ""
    return f"model.encoder.hidden_size ({encoder.hidden_size}{joined})"
