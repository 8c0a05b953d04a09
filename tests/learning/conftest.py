"""What a model must learn: the sample, and settings by which a small model learns in small batches."""

from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.preparation.pipeline import prepare

DATA = Path(__file__).parents[2] / "data"
SMALL_BATCHES = [
    *("training.batch_size=32", "training.batch_unit=sentence", "training.device=cpu"),
    *("training.optimiser=adam", "training.weight_decay=0.0"),  # an update of muon takes longer
]


def sample_pairs() -> list[tuple[str, str]]:
    lines = (DATA / "sample.txt").read_text(encoding="utf-8").splitlines()
    return [(src, tgt) for src, tgt in (line.split("\t") for line in lines)]


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> PreparedCorpus:
    out = tmp_path_factory.mktemp("sample") / "prepared"
    prepare(DATA / "sample.txt", out=out)
    return PreparedCorpus.open(out)
