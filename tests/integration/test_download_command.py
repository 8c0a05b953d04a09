"""``s2s download`` as a user types it, against a real server on the loopback interface."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import Done, output_of, s2s_here
from tests.folders import disk_full_after
from tests.site import Site, archive_of, running_site

# Random letters hardly compress: the archive is large enough for a full disk.
LETTERS = random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=100_000)  # noqa: S311
PAIRS = "".join(f"{word}.\t{word[::-1]}.\n" for word in map("".join, zip(*[iter(LETTERS)] * 20, strict=True))).encode()
ARCHIVE = archive_of({"_about.txt": b"Written by us.\n", "deu.txt": PAIRS})


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    with running_site() as site:
        site.files["/pairs/deu-eng.zip"] = ARCHIVE
        yield site


def download(folder: Path, *arguments: str) -> Done:
    return s2s_here(folder, "download", *arguments)


def test_a_language_is_fetched_and_the_next_command_named(tmp_path: Path, site: Site) -> None:
    done = download(tmp_path, "German", "--out", "my data", "--site", site.address)
    assert output_of(done).splitlines() == [
        "my data/deu.txt: 5,000 sentence pairs",
        "my data/deu_about.txt: authors and licence",
        "next: s2s prepare 'my data/deu.txt'",
    ]
    assert (tmp_path / "my data" / "deu.txt").read_bytes() == PAIRS


def test_the_list_has_codes_names_and_tokenizers(tmp_path: Path) -> None:
    lines = output_of(download(tmp_path, "--list")).splitlines()
    assert len(lines) > 75
    assert "deu   de    German" in [line.rpartition("  ")[0].rstrip() for line in lines if line.endswith("spaCy")]
    assert "epo   eo    Esperanto" in [line.rpartition("  ")[0].rstrip() for line in lines if line.endswith("general")]


def test_a_full_disk_is_reported_and_nothing_stays(tmp_path: Path, site: Site) -> None:
    with disk_full_after(len(PAIRS) // 2):
        full = download(tmp_path, "deu", "--site", site.address)
    assert (full.returncode, full.stdout) == (1, "")
    [line] = full.stderr.splitlines()
    assert line.startswith("s2s: error: ")
    assert line.endswith(": File too large: free some space, or choose another --out")
    assert not (tmp_path / "deu.txt").exists()
