"""From the config to the network: the class for each choice (`SCORES`, `READOUTS` have some), and the first weights."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from typing_extensions import override

from seq2seq_cli.config.schema.model import AttentionConfig, DecoderConfig, InitialisationConfig, ModelConfig
from seq2seq_cli.model.attention.attention import Attention, ContextProvider, FixedContext, HardAttention, NoAttention
from seq2seq_cli.model.attention.scopes import GlobalScope, MonotonicScope, PredictiveScope, Scope
from seq2seq_cli.model.attention.scores import SCORES, Sizes
from seq2seq_cli.model.bridge import BackwardBridge, Bridge, ContextBridge, CopyBridge, LinearBridge, ZeroBridge
from seq2seq_cli.model.decoder import BahdanauDecoder, Decoder, InputFeedingDecoder, LuongDecoder
from seq2seq_cli.model.encoder import Encoder
from seq2seq_cli.model.recurrent import RNN
from seq2seq_cli.model.seq2seq import Seq2Seq

_SCORE_SHARE = 0.1
"""Standard deviation of a score's matrices in units of the others'; Bahdanau et al. 2015, appendix B.1."""


def build_outline(config: ModelConfig, *, src_size: int, tgt_size: int) -> Seq2Seq:
    """The network without memory for its weights: their names and shapes; ValueError for those too large to count."""
    try:
        with torch.device("meta"), _Undrawn():
            return build_model(config, src_size=src_size, tgt_size=tgt_size)
    except (RuntimeError, OverflowError):
        raise ValueError("the sizes of the model in config.yaml are too large") from None


class _Undrawn(TorchFunctionMode):
    """No weights are drawn: torch loads its compiler to draw those that have no memory, which takes a second."""

    @override
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__module__", None) == nn.init.__name__:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **(kwargs or {}))


def build_model(config: ModelConfig, *, src_size: int, tgt_size: int) -> Seq2Seq:
    """A network with fresh weights, for vocabularies of the given sizes (equal, if there is one for both sides)."""
    keeps_words = config.decoder.readout == "lexical"
    encoder = Encoder(config.encoder, vocabulary_size=src_size, keeps_words=keeps_words)
    attention = _build_attention(config)
    decoder = _build_decoder(config.decoder, attention, tgt_size)
    bridge = _build_bridge(config, attention)
    output = nn.Linear(decoder.readout.size, tgt_size)
    model = Seq2Seq(encoder=encoder, bridge=bridge, decoder=decoder, output=output)
    initialise(model, config.initialisation)
    if config.tied_embeddings != "none":
        decoder.embedding.weight = model.output.weight
    if config.tied_embeddings == "all":
        encoder.embedding.weight = model.output.weight
    return model


def _build_bridge(config: ModelConfig, attention: ContextProvider) -> Bridge:
    match config.bridge:
        case "copy":
            return CopyBridge()
        case "linear":
            return LinearBridge(config.encoder.state_size, config.decoder)
        case "backward":
            return BackwardBridge(config.encoder.hidden_size, config.decoder)  # of one direction
        case "context":
            assert isinstance(attention, FixedContext)  # noqa: S101  # the config allows no other
            return ContextBridge(config.encoder.state_size, config.decoder, attention)
        case "zero":
            return ZeroBridge(config.decoder)


def _build_attention(model: ModelConfig) -> ContextProvider:
    """The attention, or what stands in its place."""
    config, decoder, states = model.attention, model.decoder, model.encoder.state_size
    if config.score == "none":
        return NoAttention()
    if config.score == "fixed":
        return FixedContext(memory_size=states)
    query = decoder.hidden_size + (decoder.embedding_size if SCORES[config.score].reads_word else 0)
    size = config.size or decoder.hidden_size
    word = model.encoder.embedding_size
    sizes = Sizes(query=query, memory=states, attention=size, max_length=config.max_length, word=word)
    score, attention = SCORES[config.score](sizes), HardAttention if config.scope == "hard" else Attention
    return attention(score=score, scope=_build_scope(config, query), memory_size=model.memory_size)


def _build_scope(config: AttentionConfig, query: int) -> Scope:
    match config.scope:
        case "global" | "hard":
            return GlobalScope()
        case "local_m":
            return MonotonicScope(window=config.window)
        case "local_p":
            return PredictiveScope(query_size=query, window=config.window)


def _build_decoder(config: DecoderConfig, attention: ContextProvider, vocabulary_size: int) -> Decoder:
    decoder: type[Decoder]
    match config.kind:
        case "bahdanau":
            decoder, feedback_size = BahdanauDecoder, attention.context_size
        case "luong" if config.input_feeding:
            decoder, feedback_size = InputFeedingDecoder, config.hidden_size  # of the attentional vector
        case "luong":
            decoder, feedback_size = LuongDecoder, 0
    return decoder(config, attention, vocabulary_size=vocabulary_size, feedback_size=feedback_size)


def initialise(model: Seq2Seq, config: InitialisationConfig) -> None:
    """Draw the weights of a network, whose layers hold torch's, as the config says."""
    if config.weights == "uniform":
        for weight in model.parameters():
            nn.init.uniform_(weight, -config.scale, config.scale)
    elif config.weights == "normal":
        _draw_normal(model, config.scale)
    if config.output_std is not None:
        nn.init.normal_(model.output.weight, std=config.output_std)
    if config.embedding_std is not None:
        for embedding in (model.encoder.embedding, model.decoder.embedding):
            nn.init.normal_(embedding.weight, std=config.embedding_std)


def _draw_normal(model: Seq2Seq, std: float) -> None:
    """Bahdanau et al. 2015, appendix B.1: v of the score and all biases are zero, matrices normal or orthogonal."""
    for weight in model.parameters():
        _draw_matrix(weight, std)
    for module in model.modules():
        if isinstance(module, RNN):
            for name, weight in module.named_parameters():
                if name.startswith("weight_hh"):
                    for gate in torch.split(weight, module.hidden_size):
                        nn.init.orthogonal_(gate)
        elif isinstance(module, ContextProvider) and module.has_weights:
            for weight in module.parameters():
                _draw_matrix(weight, _SCORE_SHARE * std)


def _draw_matrix(weight: Tensor, std: float) -> None:
    """A matrix of independent normal entries; vectors, and matrices of one row, are zero."""
    if weight.dim() == 1 or weight.shape[0] == 1:
        nn.init.zeros_(weight)
    else:
        nn.init.normal_(weight, std=std)
