"""A run that is sent to somebody: as one file, as a folder, with a card that Hugging Face reads."""

import shutil
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import seq2seq_cli
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.archive import opened_run
from seq2seq_cli.runs.layout import RUNS
from seq2seq_cli.runs.records import Provenance
from tests import records
from tests.commands import refused, s2s_here
from tests.untrained import make_run

TEXT = "she kissed him ."
OF_BEST = ("README.md", "metrics.jsonl")
"""What a run says of its best weights."""


@pytest.fixture(scope="module")
def sender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a run, sent as ``small.zip``."""
    home = tmp_path_factory.mktemp("sender")
    run = make_run(home / RUNS / "small").path
    (run / "last").mkdir()
    (run / "last" / "training.pt").write_bytes(b"what only training needs")
    (run / "README.md").write_text("the best weights have BLEU 37.3", encoding="utf-8")
    records.write(run, [records.epoch(200, 1), records.end(200, 1, "done")])
    provenance = Provenance(folder="data/prepared", fingerprint="0", pairs={"train": 9}, launch="a machine")
    provenance.write(run / "corpus.json")
    done = s2s_here(home, "export", "runs/small", "small.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "small.zip: exported; s2s translate --model small.zip translates with it\n"
    return home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The receiver's working directory, and a folder for temporary files that must stay empty."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def translation(folder: Path, *options: str) -> str:
    done = s2s_here(folder, "translate", *options, TEXT)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_an_archive_translates_as_the_run_does_and_leaves_nothing_behind(sender: Path, home: Path) -> None:
    shutil.copy(sender / "small.zip", home)
    expected = translation(sender, "--model", "runs/small")
    assert translation(home, "--model", "small.zip") == expected
    assert [path.name for path in home.iterdir()] == ["small.zip"]
    assert not list((home.parent / "temporary").iterdir())
    loaded = seq2seq_cli.load(home / "small.zip")
    assert loaded.translate(TEXT) + "\n" == expected
    done = s2s_here(home, "score", "--model", "small.zip", TEXT, "sie küsste ihn .")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_error_with_an_archive_names_the_archive(sender: Path, home: Path) -> None:
    run = shutil.copytree(sender / RUNS / "small", home / "sampling")
    config = (run / "config.yaml").read_text(encoding="utf-8")
    (run / "config.yaml").write_text(config.replace("sampling: false", "sampling: true"), encoding="utf-8")
    shutil.make_archive(str(home / "sampling"), "zip", home, "sampling")
    done = s2s_here(home, "export", "sampling.zip", "page.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("s2s: error: sampling.zip: decoding.sampling is true in its config.yaml")


def test_an_archive_of_chosen_weights_has_no_scores_of_the_best_ones(sender: Path) -> None:
    run = sender / RUNS / "small"
    (run / "epochs").mkdir()
    shutil.copy(run / "best" / "model.safetensors", run / "epochs" / "0003.safetensors")
    done = s2s_here(sender, "export", "runs/small/epochs/0003.safetensors", "my third.zip")
    assert done.stdout == "my third.zip: exported; s2s translate --model 'my third.zip' translates with it\n"
    with zipfile.ZipFile(sender / "my third.zip") as archive:
        assert not {Path(name).name for name in archive.namelist()} & {*OF_BEST}
    assert translation(sender, "--model", "my third.zip") == translation(sender, "--model", "runs/small")


def test_an_archive_has_what_translating_needs_and_no_more(sender: Path) -> None:
    names = zipfile.ZipFile(sender / "small.zip").namelist()
    assert {name.removeprefix("small/") for name in names} == {
        *("config.yaml", "codec/src.json", "codec/tgt.json", "best/model.safetensors"),
        *("best/encoder.onnx", "best/decoder.onnx", "best/decoder_int8.onnx", "best/features.onnx", "best/export.json"),
        *("corpus.json", *OF_BEST),
    }
    assert b"a machine" not in zipfile.ZipFile(sender / "small.zip").read("small/corpus.json")
    before = (sender / "small.zip").read_bytes()
    refused(s2s_here(sender, "export", "runs/small", "small.zip"), "small.zip", "--overwrite")
    done = s2s_here(sender, "export", "runs/small", "small.zip", "--overwrite")
    assert done.returncode == 0
    assert (sender / "small.zip").read_bytes() == before  # the same run, the same bytes


def test_a_run_is_found_in_runs_wherever_it_is_from(sender: Path, home: Path) -> None:
    expected = translation(sender, "--model", "runs/small")
    shutil.copytree(sender / RUNS / "small", home / RUNS / "copied")
    assert translation(home, "--model", "copied") == expected
    assert translation(home) == expected  # the only one
    zipfile.ZipFile(sender / "small.zip").extractall(home / RUNS)
    assert translation(home, "--model", "small") == expected
    refused(s2s_here(home, "translate", TEXT), "2 runs", "--model")
    listed = s2s_here(home, "runs")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert {"copied", "small"} <= {line.split(" ")[0] for line in listed.stdout.splitlines()}
    assert "damaged" not in listed.stdout


def test_an_archive_that_somebody_made_of_a_run_folder_is_taken(sender: Path, home: Path) -> None:
    shutil.make_archive(str(home / "by_hand"), "zip", sender, "runs/small")
    assert translation(home, "--model", "by_hand.zip") == translation(sender, "--model", "runs/small")


def rewritten(archive: Path, change: Callable[[zipfile.ZipInfo, bytes], bytes | None]) -> None:
    """Write the archive anew with the content that `change` gives to each file, or without it."""
    with zipfile.ZipFile(archive) as old:
        files = [(info, change(info, old.read(info))) for info in old.infolist()]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for info, content in files:
            if content is not None:
                new.writestr(info.filename, content)


def add(archive: Path, name: str, content: bytes = b"x") -> None:
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)


def encrypt(archive: Path) -> None:
    """Say of each file that it is encrypted."""
    content = archive.read_bytes()
    for start, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        place = content.find(start)
        while place >= 0:
            content = content[: place + flags] + b"\x01" + content[place + flags + 1 :]
            place = content.find(start, place + 1)
    archive.write_bytes(content)


def pack_with_bzip2(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_BZIP2) as file:
        file.writestr("small/.s2s-run", b"")


def nearly_all(name: str) -> Callable[[Path], None]:
    return lambda archive: rewritten(archive, lambda info, content: None if info.filename.endswith(name) else content)


def with_zeros(archive: Path) -> None:
    rewritten(archive, lambda info, content: bytes(50_000_000) if info.filename.endswith("tgt.json") else content)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda archive: archive.write_bytes(b"no archive"), "not a zip archive"),
        (lambda archive: archive.write_bytes(archive.read_bytes()[:-100]), "not a zip archive"),
        (lambda archive: archive.write_bytes(archive.read_bytes().replace(b"encoder.", b"Encoder.", 1)), "damaged one"),
        (Path.unlink, "no such file"),
        (nearly_all("config.yaml"), "holds no run"),
        (nearly_all("src.json"), "codec/src.json is missing"),
        (lambda archive: add(archive, "other/config.yaml"), "holds 2 runs"),
        (with_zeros, "more than 20 times its size"),
        (encrypt, "encrypted"),
        (pack_with_bzip2, "another method than deflate"),
        (
            lambda archive: rewritten(archive, lambda i, c: c[:-9] if i.filename.endswith("tensors") else c),
            "small.zip/best/model.safetensors",
        ),
    ],
    ids=[
        "text",
        "cut",
        "renamed",
        "gone",
        "no config",
        "no codec",
        "two runs",
        "bomb",
        "encrypted",
        "bzip2",
        "bad weights",
    ],
)
def test_a_spoilt_archive_is_refused_in_one_line(
    sender: Path, home: Path, spoil: Callable[[Path], None], told: str
) -> None:
    archive = Path(shutil.copy(sender / "small.zip", home))
    spoil(archive)
    refused(s2s_here(home, "translate", "--model", "small.zip", TEXT), "small.zip", told)
    assert not list((home.parent / "temporary").iterdir())


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_takes_no_memory_for_more_than_it_tells(sender: Path, home: Path) -> None:
    archive = Path(shutil.copy(sender / "small.zip", home))
    size = 200_000_000
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("small/README.md", bytes(size))
        file.filelist[-1].file_size = 10  # in the list at the end of the archive, which is written now
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="damaged"), opened_run(archive):
            pass
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < size / 20


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_names_in_an_archive_lead_nowhere(sender: Path, home: Path) -> None:
    archive = Path(shutil.copy(sender / "small.zip", home))
    for name in ("../planted", "small/../../planted", str(home / "planted"), "small/best/../../../planted"):
        add(archive, name)
    link = zipfile.ZipInfo("small/README.md")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(link, "/etc/passwd")
    assert translation(home, "--model", "small.zip") == translation(sender, "--model", "runs/small")
    assert not list(home.parent.rglob("planted"))
    # Nor do they when all files of the run have such names.
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(home / "above.zip", "w") as new:
        for name in zipfile.ZipFile(sender / "small.zip").namelist():
            new.writestr(name.replace("small/", "../../above/"), old.read(name))
    s2s_here(home, "translate", "--model", "above.zip", TEXT)
    assert not list(home.parent.rglob("above"))
