"""The first weights of a network."""

import torch
from torch import Tensor, nn

from seq2seq_cli.config.schema.model import InitialisationConfig
from seq2seq_cli.model.attention.attention import ContextProvider
from seq2seq_cli.model.recurrent import RNN
from seq2seq_cli.model.seq2seq import Seq2Seq

_SCORE_SHARE = 0.1
"""Standard deviation of a score's matrices in units of the others'; Bahdanau et al. 2015, appendix B.1."""


def initialise(model: Seq2Seq, config: InitialisationConfig) -> None:
    """Draw the weights of a network, whose layers hold torch's, as the config says."""
    match config.weights:
        case "torch":
            pass
        case "uniform":
            for weight in model.parameters():
                nn.init.uniform_(weight, -config.scale, config.scale)
        case "normal":
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
            _draw_score(module, std)


def _draw_score(attention: ContextProvider, std: float) -> None:
    for name, weight in attention.named_parameters():
        match name.removesuffix(".weight").rpartition(".")[2]:
            case "v":  # of several heads, a row per head
                nn.init.zeros_(weight)
            case "V":  # maps the memory to values, and is no part of a score
                pass
            case _:
                _draw_matrix(weight, _SCORE_SHARE * std)


def _draw_matrix(weight: Tensor, std: float) -> None:
    """A matrix of independent normal entries; vectors, and matrices of one row, are zero."""
    if weight.dim() == 1 or weight.shape[0] == 1:
        nn.init.zeros_(weight)
    else:
        nn.init.normal_(weight, std=std)
