"""Downloads from a real server that cuts connections, refuses, and sends what is no archive."""

import random
import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.errors import DownloadError, UsageError
from seq2seq_cli.pairs.published import Downloaded, download, find_published
from seq2seq_cli.text.languages import PUBLISHED, short_code
from seq2seq_cli.text.spacy_tokenizers import has_tokenizer
from tests.site import Site, archive_of, running_site

NUMBERS = random.Random(0).sample(range(10**9), 20_000)  # noqa: S311  # digits hardly compress
PAIRS = "".join(f"The number is {n}.\tDie Zahl ist {n}.\tCC-BY\n" for n in NUMBERS).encode()
ABOUT = b"Written by us.\n"
ARCHIVE = archive_of({"_about.txt": ABOUT, "deu.txt": PAIRS})
SIZE = len(ARCHIVE)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("time.sleep", lambda _: None)  # between the tries
    with running_site() as site:
        site.files["/pairs/deu-eng.zip"] = ARCHIVE
        yield site


def get(site: Site, folder: Path, language: str = "deu", **options: Any) -> Downloaded:
    usual: dict[str, Any] = {"overwrite": False, "retries": 1, "timeout": 5.0, "progress": lambda _done, _total: None}
    return download(language, folder, site=site.address, **(usual | options))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_downloaded(folder: Path) -> None:
    assert (folder / "deu.txt").read_bytes() == PAIRS
    assert (folder / "deu_about.txt").read_bytes() == ABOUT
    assert names(folder) == ["deu.txt", "deu_about.txt"]


def test_the_pairs_and_their_attribution_are_written_and_nothing_else(site: Site, tmp_path: Path) -> None:
    site.address = site.address.rstrip("/")
    downloaded = get(site, tmp_path / "new" / "folder")
    assert_downloaded(tmp_path / "new" / "folder")
    assert downloaded.lines == len(NUMBERS)
    assert downloaded.about == tmp_path / "new" / "folder" / "deu_about.txt"
    assert site.requests[0]["User-Agent"].startswith("s2s/")


def test_an_archive_needs_no_attribution(site: Site, tmp_path: Path) -> None:
    site.files["/pairs/deu-eng.zip"] = archive_of({"deu.txt": PAIRS})
    assert get(site, tmp_path).about is None
    assert names(tmp_path) == ["deu.txt"]


@pytest.mark.parametrize(("statuses", "cuts"), [([], [0]), ([], [SIZE - 1]), ([429, 500], [])])
def test_a_cut_connection_and_temporary_failures_are_tried_again(
    site: Site, tmp_path: Path, statuses: list[int], cuts: list[int]
) -> None:
    site.statuses, site.cuts, retries = [*statuses], [*cuts], len([*statuses, *cuts])
    get(site, tmp_path, retries=retries)
    assert_downloaded(tmp_path)
    assert len(site.requests) == 1 + retries


def test_progress_reaches_the_size_and_begins_anew_with_each_try(site: Site, tmp_path: Path) -> None:
    site.cuts = [SIZE // 2]
    reported: list[tuple[int, int | None]] = []
    get(site, tmp_path, progress=lambda done, total: reported.append((done, total)))
    assert reported[-1] == (SIZE, SIZE)
    second = reported.index((0, SIZE), 1)
    for part in (reported[:second], reported[second:]):
        assert all(earlier < later for (earlier, _), (later, _) in pairwise(part))


@pytest.mark.parametrize(
    ("statuses", "cuts", "language", "requests", "message"),
    [
        ([403, 403], [], "deu", 1, "the server answers 403 Forbidden: is there"),
        ([], [], "deo", 1, "deo-eng.zip: the server answers 404 Not Found: is there"),
        ([503, 503], [], "deu", 2, "the server answers 503 Service Unavailable: is there"),
        ([], [500, 1000], "deu", 2, f"cut after 1,000 of {SIZE:,} bytes: is there"),
    ],
)
def test_a_failure_is_reported_and_leaves_no_folder_that_was_not_there(
    site: Site, tmp_path: Path, statuses: list[int], cuts: list[int], language: str, requests: int, message: str
) -> None:
    site.statuses, site.cuts = statuses, cuts
    with pytest.raises(DownloadError) as caught:
        get(site, tmp_path / "new" / "pairs", language=language)
    assert message in str(caught.value)
    assert caught.value.exit_code == 1
    assert len(site.requests) == requests
    assert names(tmp_path) == []


def test_a_server_that_falls_silent_is_given_up(site: Site, tmp_path: Path) -> None:
    site.stalls, site.cuts = True, [700]
    with pytest.raises(DownloadError, match="timed out"):
        get(site, tmp_path, retries=0, timeout=0.2)


@pytest.mark.parametrize(
    ("address", "message"),
    [("http://127.0.0.1:{free}/", "Connection refused"), ("http://..a/", "no answer"), ("http://a:b/", "no answer")],
)
def test_a_missing_server_is_reported(
    tmp_path: Path, address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        free = closed.getsockname()[1]
    with pytest.raises(DownloadError) as error:
        get(Site(address=address.format(free=free)), tmp_path, retries=0)
    assert message in str(error.value)
    assert names(tmp_path) == []


def test_an_answer_that_is_no_web_servers_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")

    def answer() -> None:
        # The client hangs up before all is sent.
        with server.accept()[0] as connection, suppress(ConnectionError):
            connection.recv(1 << 16)
            connection.sendall(b"220 mail.example ESMTP\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DownloadError, match="no answer: 220 mail"):
            get(Site(address=f"http://127.0.0.1:{server.getsockname()[1]}/"), tmp_path, retries=0)
        thread.join()


def damaged(content: bytes, *, compression: int = zipfile.ZIP_STORED) -> bytes:
    archive = archive_of({"deu.txt": content, "_about.txt": ABOUT * 99}, compression=compression)
    middle = len(archive) // 2
    return archive[:middle] + bytes([archive[middle] ^ 1]) + archive[middle + 1 :]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<!DOCTYPE html><p>Log in first.", "not a zip archive: open"),
        (ARCHIVE[:-1000], "truncated, damaged"),
        (damaged(PAIRS), "damaged"),
        (damaged(PAIRS, compression=zipfile.ZIP_LZMA), "damaged"),
        (archive_of({"_about.txt": ABOUT}), "no file of sentence pairs"),
    ],
)
def test_anything_but_an_archive_of_pairs_is_refused(site: Site, tmp_path: Path, content: bytes, message: str) -> None:
    site.files["/pairs/deu-eng.zip"] = content
    (tmp_path / "deu.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DownloadError) as error:
        get(site, tmp_path, retries=0, overwrite=True)
    assert message in str(error.value)
    assert site.address in str(error.value)
    assert names(tmp_path) == ["deu.txt"]
    assert (tmp_path / "deu.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["deu.txt", "deu_about.txt"])
def test_nothing_is_overwritten_unasked(site: Site, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"{name}: exists already: --overwrite replaces it"):
        get(site, tmp_path)
    assert site.requests == []
    get(site, tmp_path, overwrite=True)
    assert_downloaded(tmp_path)


def test_a_published_language_is_found_by_code_and_name() -> None:
    words = ("deu", "de", "German", " GERMAN ", "Deutsch", "chinese", "Mandarin", "Norwegian", "Tagalog")
    assert list(map(find_published, words)) == [*["deu"] * 5, *["cmn"] * 2, "nob", "tgl"]
    assert find_published("hsb") == "hsb"  # the site may have more than we know
    for word, message in (("en", "English is the other language"), ("qqqqqqqq", "s2s download --list")):
        with pytest.raises(UsageError, match=message):
            find_published(word)


def test_the_code_in_configs_is_the_one_of_the_tokenizer() -> None:
    codes = [short_code(code3) for code3 in PUBLISHED]
    assert len(set(codes)) == len(codes)
    assert not any(has_tokenizer(code3) for code3, code in zip(PUBLISHED, codes, strict=True) if code3 != code)
