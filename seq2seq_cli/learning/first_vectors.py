"""First word vectors: units that translate one another begin alike, as counts of the pairs have it.

They take two seconds, and what they know takes the first updates a minute. Levy, Søgaard & Goldberg 2017, "A strong
baseline for learning cross-lingual word embeddings from sentence alignments", count in which pairs a word occurs.
"""

import math
import warnings

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.model.seq2seq import Seq2Seq

_MOST_PAIRS = 500_000
"""Pairs that are counted, at equal distances: a bound for time and memory."""
_SMOOTHING = 0.75
"""Power of the counts of target units, that rare ones are not overrated; Levy, Goldberg & Dagan 2015, section 3.1."""


def vectors_of(
    pairs: ParallelIds, src_size: int, tgt_size: int, dimension: int
) -> tuple[Float[Tensor, "Vs D"], Float[Tensor, "Vt D"]]:
    """The vectors of the units of source and target; zeros for a unit that no other one goes with.

    Where n(s, t) counts how often s and t occur in one pair, N in all, their positive pointwise mutual information
    max(0, log n(s, t) N / (n(s) n(t))) is a matrix M, about U Σ Vᵀ with the largest singular values: Levy & Goldberg
    2014, "Neural word embedding as implicit matrix factorization", section 3.2 and eq. 8. The vectors are the rows of
    U √Σ and V √Σ, both turned by one random rotation, for which no dimension is larger than the others.
    """
    pairs = pairs.pick(np.linspace(0, len(pairs) - 1, min(len(pairs), _MOST_PAIRS)).astype(np.int64))
    with warnings.catch_warnings(action="ignore"):  # that torch's sparse matrices are in beta state
        src, tgt = _occurrences(pairs.src, src_size), _occurrences(pairs.tgt, tgt_size)
        counts = torch.sparse.mm(src.t().to_sparse_csr(), tgt.to_sparse_csr()).to_sparse_coo().coalesce()
        (of_src, of_tgt), n = counts.indices(), counts.values()
        n_src, n_tgt = torch.zeros(src_size).index_add(0, of_src, n), torch.zeros(tgt_size).index_add(0, of_tgt, n)
        smoothed = n_tgt**_SMOOTHING
        information = torch.log(n * smoothed.sum() / (n_src[of_src] * smoothed[of_tgt])).clamp(min=0)
        M = torch.sparse_coo_tensor(counts.indices(), information, counts.shape).to_sparse_csr()
        U, singular, V = torch.svd_lowrank(M, q=min(dimension, *M.shape), niter=3)
    rotation = nn.init.orthogonal_(torch.empty(len(singular), dimension))
    return U * singular.sqrt() @ rotation, V * singular.sqrt() @ rotation


def _occurrences(sentences: Ragged, size: int) -> Tensor:
    """The counts of the units, a column each, in the sentences, a row each, as a sparse matrix."""
    rows, ones = np.repeat(np.arange(len(sentences)), sentences.lengths), torch.ones(len(sentences.values))
    places = torch.from_numpy(np.stack([rows, sentences.values.astype(np.int64)]))
    return torch.sparse_coo_tensor(places, ones, (len(sentences), size)).coalesce()  # products need sums, in order


@torch.no_grad()
def begin_with(model: Seq2Seq, src: Float[Tensor, "Vs D"], tgt: Float[Tensor, "Vt D"]) -> None:
    """Give word vectors the directions of these, and the length that they were drawn with.

    Those of one matrix for both sides are sums. A unit without a vector keeps the drawn one.
    """
    of_src, of_tgt = model.encoder.embedding.weight, model.decoder.embedding.weight
    for weight, vectors in ((of_src, src + tgt),) if of_src is of_tgt else ((of_src, src), (of_tgt, tgt)):
        vectors = vectors[:, : weight.shape[1]]
        lengths = vectors.norm(dim=1, keepdim=True)
        scaled = vectors * (weight.std() * math.sqrt(weight.shape[1]) / lengths)
        weight.copy_(torch.where(lengths > 1e-6, scaled, weight))
