"""The interface of beam search and sampling."""

from abc import ABC, abstractmethod

import numpy as np

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.shapes import Int


class Strategy(ABC):
    """The choice of the hypotheses that go on.

    N sources, C candidates, G of them chosen.
    """

    @property
    @abstractmethod
    def rows_per_source(self) -> int:
        """The number of rows that each source has at the first step."""

    @property
    @abstractmethod
    def most_candidates(self) -> int:
        """The number of candidates of a row that can matter: its best ones."""

    @abstractmethod
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        """The numbers of the candidates that go on or end, source by source; `ended` counts the hypotheses with EOS."""
