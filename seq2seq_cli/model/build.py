"""From the config to the network: the one place where a word of the config becomes a class."""

from torch import nn

from seq2seq_cli.config.schema import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.model.attention.attention import Attention
from seq2seq_cli.model.attention.scopes import GlobalScope
from seq2seq_cli.model.attention.scores import AdditiveScore, ConcatScore, DotScore, GeneralScore, Score
from seq2seq_cli.model.decoder import BahdanauDecoder, Decoder, LuongDecoder
from seq2seq_cli.model.encoder import LSTMEncoder
from seq2seq_cli.model.readout import AttentionalReadout, ConcatReadout, Readout, StateReadout
from seq2seq_cli.model.seq2seq import Seq2Seq


def build_model(config: ModelConfig, *, src_size: int, tgt_size: int) -> Seq2Seq:
    """A network with fresh weights for vocabularies of the given sizes."""
    encoder = build_encoder(config.encoder, src_size)
    attention = build_attention(config.attention, query=config.decoder.hidden_size, memory=config.encoder.hidden_size)
    decoder = build_decoder(config.decoder, attention, tgt_size, memory_size=config.encoder.hidden_size)
    return Seq2Seq(encoder=encoder, decoder=decoder, output=nn.Linear(decoder.readout.size, tgt_size))


def build_encoder(config: EncoderConfig, vocabulary_size: int) -> LSTMEncoder:
    """The source side."""
    return LSTMEncoder(
        vocabulary_size=vocabulary_size,
        embedding_size=config.embedding_size,
        hidden_size=config.hidden_size,
        layers=config.layers,
        dropout=config.dropout,
    )


def build_attention(config: AttentionConfig, *, query: int, memory: int) -> Attention:
    """The score that the config names, looking everywhere."""
    return Attention(score=build_score(config, query=query, memory=memory), scope=GlobalScope())


def build_score(config: AttentionConfig, *, query: int, memory: int) -> Score:
    """The score that the config names, for queries and memory states of the given sizes."""
    size = config.size or query
    match config.score:
        case "additive":
            return AdditiveScore(query_size=query, memory_size=memory, attention_size=size)
        case "dot":
            return DotScore()
        case "general":
            return GeneralScore(query_size=query, memory_size=memory)
        case "concat":
            return ConcatScore(query_size=query, attention_size=size)


def build_decoder(config: DecoderConfig, attention: Attention, vocabulary_size: int, *, memory_size: int) -> Decoder:
    """The target side."""
    decoder: type[Decoder]
    match config.kind:
        case "bahdanau":
            decoder, input_size = BahdanauDecoder, config.embedding_size + memory_size
        case "luong":
            decoder, input_size = LuongDecoder, config.embedding_size
    between_layers = config.dropout if config.layers > 1 else 0.0
    return decoder(
        embedding=nn.Embedding(vocabulary_size, config.embedding_size),
        rnn=nn.LSTM(input_size, config.hidden_size, config.layers, dropout=between_layers, batch_first=True),
        attention=attention,
        readout=build_readout(config, memory_size=memory_size),
        dropout=config.dropout,
    )


def build_readout(config: DecoderConfig, *, memory_size: int) -> Readout:
    """What the output layer sees."""
    match config.readout:
        case "state":
            return StateReadout(hidden_size=config.hidden_size)
        case "concat":
            return ConcatReadout(hidden_size=config.hidden_size, memory_size=memory_size)
        case "attentional":
            return AttentionalReadout(hidden_size=config.hidden_size, memory_size=memory_size)
