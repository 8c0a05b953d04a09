"""Downloads from a real server that cuts connections, refuses, and sends what is no archive."""

import random
import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from seq2seq_cli.errors import DownloadError, UsageError
from seq2seq_cli.pairs.download import Downloaded, download
from seq2seq_cli.pairs.web import ByteProgress
from tests.site import Site, archive_of, running_site

NUMBERS = random.Random(0).sample(range(10**9), 20_000)  # noqa: S311  # digits hardly compress
PAIRS = "".join(f"The number is {n}.\tDie Zahl ist {n}.\tCC-BY\n" for n in NUMBERS).encode()
ABOUT = b"Written by us.\n"
ARCHIVE = archive_of({"_about.txt": ABOUT, "deu.txt": PAIRS})
SIZE = len(ARCHIVE)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    with running_site() as site:
        site.files["/pairs/deu-eng.zip"] = ARCHIVE
        yield site


def get(
    site: Site,
    folder: Path,
    *,
    language: str = "deu",
    overwrite: bool = False,
    retries: int = 1,
    timeout: float = 5.0,
    progress: ByteProgress = lambda _done, _total: None,
) -> Downloaded:
    return download(
        language,
        folder,
        site=site.address,
        overwrite=overwrite,
        progress=progress,
        timeout=timeout,
        retries=retries,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_downloaded(folder: Path) -> None:
    assert (folder / "deu.txt").read_bytes() == PAIRS
    assert (folder / "deu_about.txt").read_bytes() == ABOUT
    assert names(folder) == ["deu.txt", "deu_about.txt"]


def test_the_pairs_and_their_attribution_are_written_and_nothing_else(site: Site, tmp_path: Path) -> None:
    downloaded = get(site, tmp_path / "new" / "folder")

    assert_downloaded(tmp_path / "new" / "folder")
    assert downloaded.lines == len(NUMBERS)
    assert downloaded.about == tmp_path / "new" / "folder" / "deu_about.txt"
    assert site.requests[0]["User-Agent"].startswith("s2s/")


def test_an_archive_needs_no_attribution(site: Site, tmp_path: Path) -> None:
    site.files["/pairs/deu-eng.zip"] = archive_of({"deu.txt": PAIRS})

    assert get(site, tmp_path).about is None
    assert names(tmp_path) == ["deu.txt"]


def test_the_address_of_a_site_needs_no_slash_at_its_end(site: Site, tmp_path: Path) -> None:
    site.address = site.address.rstrip("/")

    get(site, tmp_path)

    assert_downloaded(tmp_path)


@pytest.mark.parametrize("cut", [0, 1, SIZE // 2, SIZE - 1])
def test_a_cut_connection_is_tried_again(site: Site, tmp_path: Path, cut: int) -> None:
    site.cuts = [cut]

    get(site, tmp_path)

    assert_downloaded(tmp_path)
    assert len(site.requests) == 2


def test_a_connection_that_is_cut_at_every_try_is_reported_and_nothing_stays(site: Site, tmp_path: Path) -> None:
    site.cuts = [500, 1000]

    with pytest.raises(DownloadError, match=rf"cut after 1,000 of {SIZE:,} bytes: run it again$") as error:
        get(site, tmp_path)

    assert error.value.exit_code == 1
    assert names(tmp_path) == []


def test_progress_reaches_the_size_and_begins_anew_with_each_try(site: Site, tmp_path: Path) -> None:
    site.cuts = [SIZE // 2]
    reported: list[tuple[int, int | None]] = []

    get(site, tmp_path, progress=lambda done, total: reported.append((done, total)))

    assert reported[-1] == (SIZE, SIZE)
    second = reported.index((0, SIZE), 1)
    for part in (reported[:second], reported[second:]):
        assert all(earlier < later for (earlier, _), (later, _) in pairwise(part))


@pytest.mark.parametrize("status", [403, 451, 501])
def test_a_refusal_is_reported_at_once(site: Site, tmp_path: Path, status: int) -> None:
    site.statuses = [status, status]

    with pytest.raises(DownloadError, match=rf"deu-eng\.zip: the server answers {status} \w+"):
        get(site, tmp_path)
    assert len(site.requests) == 1
    assert names(tmp_path) == []


def test_a_failure_leaves_no_folder_that_was_not_there(site: Site, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for folder in ("new/pairs", "mine", "mine/new"):
        site.statuses = [403]
        with pytest.raises(DownloadError, match="the server answers 403"):
            get(site, tmp_path / folder)
    assert names(tmp_path) == ["mine"]
    assert names(tmp_path / "mine") == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_temporary_failure_is_tried_again(site: Site, tmp_path: Path, status: int) -> None:
    site.statuses = [status]

    get(site, tmp_path, retries=1)

    assert_downloaded(tmp_path)


def test_a_failure_that_lasts_is_reported(site: Site, tmp_path: Path) -> None:
    site.statuses = [503, 503]

    with pytest.raises(DownloadError, match="answers 503 Service Unavailable: run it again"):
        get(site, tmp_path, retries=1)
    assert len(site.requests) == 2


def test_an_unknown_language_is_answered_with_similar_names(site: Site, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"deo-eng\.zip: not found, did you mean .*deu \(German\)"):
        get(site, tmp_path, language="deo")
    with pytest.raises(DownloadError, match=r"fra-eng\.zip: not found: if the site has moved"):
        get(site, tmp_path, language="fra")


@pytest.mark.parametrize(("cuts", "message"), [([0], "cut after 0 of"), ([700], "cut after 700 of")])
def test_a_server_that_falls_silent_is_given_up(site: Site, tmp_path: Path, cuts: list[int], message: str) -> None:
    site.stalls = True
    site.cuts = cuts

    with pytest.raises(DownloadError, match=message):
        get(site, tmp_path, retries=0, timeout=0.2)


def test_a_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        site = Site(address=f"http://127.0.0.1:{deaf.getsockname()[1]}/")
        with pytest.raises(DownloadError, match=r"no answer within 0\.2 s: run it again"):
            get(site, tmp_path, retries=0, timeout=0.2)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://127.0.0.1:{free}/", "cannot be reached: Connection refused"),
        ("http://[::1%25nowhere]/", "cannot be looked up: is there a network?"),
        ("http://..a/", "not a web address"),
        ("http://a:b/", "not a web address"),
    ],
)
def test_a_missing_server_is_reported_at_once(
    tmp_path: Path, address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        free = closed.getsockname()[1]

    with pytest.raises(DownloadError) as error:
        get(Site(address=address.format(free=free)), tmp_path)

    assert message in str(error.value)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "said", [b"220 mail.example ESMTP\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"]
)
def test_an_answer_that_is_no_web_servers_is_reported(
    tmp_path: Path, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")

    def answer() -> None:
        # The client hangs up before all is sent.
        with server.accept()[0] as connection, suppress(ConnectionError):
            connection.recv(1 << 16)
            connection.sendall(said)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DownloadError, match="the answer is not a web server's"):
            get(Site(address=f"http://127.0.0.1:{server.getsockname()[1]}/"), tmp_path)
        thread.join()


def test_a_folder_that_cannot_be_made_is_reported(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"file: cannot be made: .*: choose another folder with --out"):
        get(site, tmp_path / "file")
    assert site.requests == []


def damaged(archive: bytes) -> bytes:
    middle = len(archive) // 2
    return archive[:middle] + bytes([archive[middle] ^ 1]) + archive[middle + 1 :]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<!DOCTYPE html><p>Log in first.", "not a zip archive but a web page"),
        (b"", "not a zip archive but something else"),
        (PAIRS, "not a zip archive but something else"),
        (ARCHIVE[:-1000], "truncated or damaged"),
        (damaged(archive_of({"deu.txt": PAIRS}, compression=zipfile.ZIP_STORED)), "damaged"),
        (
            damaged(archive_of({"_about.txt": b"us", "deu.txt": PAIRS}, compression=zipfile.ZIP_STORED)),
            "damaged",
        ),
        (
            damaged(archive_of({"deu.txt": b"a\tb\n", "_about.txt": ABOUT * 99}, compression=zipfile.ZIP_STORED)),
            "damaged",
        ),
        (damaged(archive_of({"deu.txt": b"a\tb\n", "_about.txt": PAIRS}, compression=zipfile.ZIP_LZMA)), "damaged"),
        (archive_of({"_about.txt": ABOUT}), "no file of sentence pairs"),
        (archive_of({}), "is empty"),
        (archive_of({"deu.txt": b"no tabs\n" * 1000}), "no sentence pairs in the archive"),
        (archive_of({"deu.txt": b""}), "no sentence pairs in the archive"),
    ],
)
def test_anything_but_an_archive_of_pairs_is_refused(site: Site, tmp_path: Path, content: bytes, message: str) -> None:
    site.files["/pairs/deu-eng.zip"] = content

    with pytest.raises(DownloadError) as error:
        get(site, tmp_path, retries=0)

    assert message in str(error.value)
    assert site.address in str(error.value)
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["deu.txt", "deu_about.txt"])
def test_nothing_is_overwritten_unasked(site: Site, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")

    with pytest.raises(UsageError, match=rf"{name}: exists already: --overwrite replaces it"):
        get(site, tmp_path)
    assert site.requests == []
    assert names(tmp_path) == [name]

    get(site, tmp_path, overwrite=True)
    assert_downloaded(tmp_path)


def test_an_overwrite_that_fails_leaves_the_old_file(site: Site, tmp_path: Path) -> None:
    (tmp_path / "deu.txt").write_text("mine", encoding="utf-8")
    site.files["/pairs/deu-eng.zip"] = ARCHIVE[:-1000]

    with pytest.raises(DownloadError):
        get(site, tmp_path, overwrite=True)

    assert (tmp_path / "deu.txt").read_text(encoding="utf-8") == "mine"
