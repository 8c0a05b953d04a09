"""From the config to the network: the class for each choice in the config (`SCORES` has the scores)."""

from torch import nn

from seq2seq_cli.config.schema import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.model.attention.attention import Attender, Attention
from seq2seq_cli.model.attention.hard import HardAttention
from seq2seq_cli.model.attention.heads import MultiHeadAttention
from seq2seq_cli.model.attention.scopes import GlobalScope, MonotonicScope, PredictiveScope, Scope
from seq2seq_cli.model.attention.scores import SCORES, Score, Sizes
from seq2seq_cli.model.attention.without import FixedContext, NoAttention
from seq2seq_cli.model.bridge import Bridge, CopyBridge, LinearBridge, ZeroBridge
from seq2seq_cli.model.decoder import BahdanauDecoder, Decoder, InputFeedingDecoder, LuongDecoder
from seq2seq_cli.model.encoder import Encoder
from seq2seq_cli.model.readout import AttentionalReadout, ConcatReadout, MaxoutReadout, Readout, StateReadout
from seq2seq_cli.model.recurrent import make_rnn
from seq2seq_cli.model.seq2seq import Seq2Seq

TIED_STD = 0.2
"""Of the entries of a matrix that is word vectors and output layer at once, before training."""


def build_model(config: ModelConfig, *, src_size: int, tgt_size: int) -> Seq2Seq:
    """A network with fresh weights for vocabularies of the given sizes; with one for both, the sizes are equal."""
    encoder = build_encoder(config.encoder, src_size)
    attention = build_attention(config.attention, query=config.decoder.hidden_size, memory=encoder.size)
    decoder = build_decoder(config.decoder, attention, tgt_size)
    model = Seq2Seq(
        encoder=encoder,
        bridge=build_bridge(config, encoder.size),
        decoder=decoder,
        output=nn.Linear(decoder.readout.size, tgt_size),
    )
    if config.tied_embeddings != "none":
        # Between what torch gives an embedding (1), with which the first words would be far too sure, and an output
        # layer (0.04), whose word vectors an RNN can hardly tell apart; measured.
        nn.init.normal_(model.output.weight, std=TIED_STD)
        decoder.embedding.weight = model.output.weight
    if config.tied_embeddings == "all":
        encoder.embedding.weight = model.output.weight
    return model


def build_encoder(config: EncoderConfig, vocabulary_size: int) -> Encoder:
    """The source side."""
    return Encoder(
        vocabulary_size=vocabulary_size,
        embedding_size=config.embedding_size,
        hidden_size=config.hidden_size,
        layers=config.layers,
        dropout=config.dropout,
        variational_dropout=config.variational_dropout,
        word_dropout=config.word_dropout,
        cell=config.cell,
        directions=config.directions,
        residual=config.residual,
        reverse=config.reverse,
    )


def build_bridge(config: ModelConfig, encoder_size: int) -> Bridge:
    """The way from the encoder's last state to the decoder's first."""
    size, layers, cell = config.decoder.hidden_size, config.decoder.layers, config.decoder.cell == "lstm"
    match config.bridge:
        case "copy":
            return CopyBridge()
        case "linear":
            return LinearBridge(encoder_size=encoder_size, decoder_size=size, layers=layers, cell=cell)
        case "zero":
            return ZeroBridge(decoder_size=size, layers=layers, cell=cell)


def build_attention(config: AttentionConfig, *, query: int, memory: int) -> Attender:
    """What makes the contexts, for queries and memory states of the given sizes."""
    if config.score == "none":
        return NoAttention()
    if config.score == "fixed":
        return FixedContext(memory_size=memory)
    scope = build_scope(config, query=query)
    if config.heads > 1:
        size = config.size or query
        return MultiHeadAttention(
            query_size=query, memory_size=memory, attention_size=size, heads=config.heads, scope=scope
        )
    attention = HardAttention if config.scope == "hard" else Attention
    return attention(score=build_score(config, query=query, memory=memory), scope=scope, memory_size=memory)


def build_scope(config: AttentionConfig, *, query: int) -> Scope:
    """Where a query may look."""
    match config.scope:
        case "global" | "hard":
            return GlobalScope()
        case "local_m":
            return MonotonicScope(window=config.window)
        case "local_p":
            return PredictiveScope(query_size=query, window=config.window)


def build_score(config: AttentionConfig, *, query: int, memory: int) -> Score:
    """The score that the config names, for queries and memory states of the given sizes."""
    sizes = Sizes(query=query, memory=memory, attention=config.size or query, max_length=config.max_length)
    return SCORES[config.score](sizes)


def build_decoder(config: DecoderConfig, attention: Attender, vocabulary_size: int) -> Decoder:
    """The target side."""
    decoder: type[Decoder]
    match config.kind:
        case "bahdanau":
            decoder, joined_size = BahdanauDecoder, attention.context_size
        case "luong" if config.input_feeding:
            decoder, joined_size = InputFeedingDecoder, config.hidden_size  # the attentional vector's
        case "luong":
            decoder, joined_size = LuongDecoder, 0
    return decoder(
        embedding=nn.Embedding(vocabulary_size, config.embedding_size),
        rnn=make_rnn(
            config.cell,
            config.embedding_size + joined_size,
            config.hidden_size,
            layers=config.layers,
            dropout=0.0 if config.variational_dropout else config.dropout,
            both_ways=False,
        ),
        attention=attention,
        readout=build_readout(config, context_size=attention.context_size),
        dropout=config.dropout,
        variational_dropout=config.variational_dropout,
        word_dropout=config.word_dropout,
    )


def build_readout(config: DecoderConfig, *, context_size: int) -> Readout:
    """What the output layer sees."""
    match config.readout:
        case "state":
            return StateReadout(hidden_size=config.hidden_size)
        case "concat":
            return ConcatReadout(hidden_size=config.hidden_size, context_size=context_size)
        case "attentional":
            return AttentionalReadout(hidden_size=config.hidden_size, context_size=context_size)
        case "maxout":
            return MaxoutReadout(
                hidden_size=config.hidden_size, context_size=context_size, embedding_size=config.embedding_size
            )
