"""Downloads from a real server that cuts, changes, refuses and lies."""

import random
import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.errors import DownloadError, UsageError
from seq2seq_cli.pairs.download import Downloaded, download
from seq2seq_cli.pairs.fetching import fetch
from seq2seq_cli.pairs.published import find_published
from tests.site import Site, archive_of, running_site

NUMBERS = random.Random(0).sample(range(10**9), 20_000)  # noqa: S311  # digits that do not compress away
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


def get(site: Site, folder: Path, *settings: str, language: str = "deu", overwrite: bool = False) -> Downloaded:
    config = load_config(None, [f"download.site={site.address}", "download.timeout=5.0", *settings]).download
    return download(find_published(language), folder, config, overwrite=overwrite, progress=lambda _done, _total: None)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_downloaded(folder: Path) -> None:
    assert (folder / "deu.txt").read_bytes() == PAIRS
    assert (folder / "deu_about.txt").read_bytes() == ABOUT
    assert names(folder) == ["deu.txt", "deu_about.txt"]


def test_the_pairs_and_their_attribution_are_all_that_stays(site: Site, tmp_path: Path) -> None:
    downloaded = get(site, tmp_path / "new" / "folder")

    assert_downloaded(tmp_path / "new" / "folder")
    assert downloaded.lines == len(NUMBERS)
    assert downloaded.about == tmp_path / "new" / "folder" / "deu_about.txt"
    assert site.requests[0]["User-Agent"].startswith("s2s/")


def test_an_archive_without_an_attribution_is_taken_as_it_is(site: Site, tmp_path: Path) -> None:
    site.files["/pairs/deu-eng.zip"] = archive_of({"deu.txt": PAIRS})

    assert get(site, tmp_path).about is None
    assert names(tmp_path) == ["deu.txt"]


def test_site_and_name_of_the_archive_are_in_the_config(site: Site, tmp_path: Path) -> None:
    site.files["/pairs/from-deu.zip"] = ARCHIVE

    get(site, tmp_path, f"download.site={site.address.rstrip('/')}", "download.archive='from-{language}.zip'")

    assert_downloaded(tmp_path)


@pytest.mark.parametrize("cut", [0, 1, SIZE // 2, SIZE - 1])
@pytest.mark.parametrize("version", [{"ETag": '"a"'}, {"Last-Modified": "Sat, 01 Jun 2024 08:00:00 GMT"}])
def test_a_cut_connection_is_taken_up_where_it_was(
    site: Site, tmp_path: Path, cut: int, version: dict[str, str]
) -> None:
    site.headers = version
    site.cuts = [cut]

    get(site, tmp_path)

    assert_downloaded(tmp_path)
    assert site.sent == SIZE  # no byte twice
    assert site.requests[1].get("Range") == (f"bytes={cut}-" if cut else None)


def test_what_came_is_kept_for_the_next_call(site: Site, tmp_path: Path) -> None:
    site.cuts = [1000, 500]

    for come in (1000, 1500):
        with pytest.raises(
            DownloadError, match=rf"cut after {come:,} of {SIZE:,} bytes: run it again to go on$"
        ) as told:
            get(site, tmp_path, "download.retries=0")
        assert told.value.exit_code == 1
        assert not (tmp_path / "deu.txt").exists()
    get(site, tmp_path, "download.retries=0")

    assert_downloaded(tmp_path)
    assert site.sent == SIZE


def test_a_site_that_knows_no_ranges_sends_all_again(site: Site, tmp_path: Path) -> None:
    site.knows_ranges = False
    site.cuts = [SIZE // 2]

    get(site, tmp_path)

    assert_downloaded(tmp_path)
    assert site.sent == SIZE // 2 + SIZE


@pytest.mark.parametrize("version", [{}, {"ETag": 'W/"weak"'}])
def test_without_a_sure_version_all_is_asked_for_again(site: Site, tmp_path: Path, version: dict[str, str]) -> None:
    site.headers = version
    site.cuts = [SIZE // 2]

    get(site, tmp_path)

    assert_downloaded(tmp_path)
    assert "Range" not in site.requests[1]


def test_a_file_that_changed_meanwhile_is_never_mixed(site: Site, tmp_path: Path) -> None:
    site.files["/pairs/deu-eng.zip"] = archive_of({"deu.txt": PAIRS.replace(b"Zahl", b"Nummer")})
    site.cuts = [SIZE // 2]
    with pytest.raises(DownloadError):
        get(site, tmp_path, "download.retries=0")
    site.files["/pairs/deu-eng.zip"] = ARCHIVE
    site.headers = {"ETag": '"2"'}

    get(site, tmp_path)

    assert_downloaded(tmp_path)


def test_the_beginning_of_one_sites_file_is_not_gone_on_from_at_another(site: Site, tmp_path: Path) -> None:
    site.files["/other/deu-eng.zip"] = archive_of({"deu.txt": b"a\tb\n" * 9000}, compression=zipfile.ZIP_STORED)
    site.cuts = [20_000]
    with pytest.raises(DownloadError):
        get(site, tmp_path, "download.retries=0", f"download.site={site.address.replace('pairs', 'other')}")

    get(site, tmp_path)

    assert_downloaded(tmp_path)


def test_a_whole_file_is_not_fetched_again(site: Site, tmp_path: Path) -> None:
    part = tmp_path / "part"
    url = site.address + "deu-eng.zip"
    told: list[tuple[int, int | None]] = []

    for _ in range(2):
        fetch(url, part, timeout=5.0, retries=0, progress=lambda done, total: told.append((done, total)))

    assert part.read_bytes() == ARCHIVE
    assert site.sent == SIZE
    assert [told[0], told[-1]] == [(0, SIZE), (SIZE, SIZE)]
    assert all(earlier < later for (earlier, _), (later, _) in pairwise(told))


def test_a_file_that_shrank_is_fetched_anew(site: Site, tmp_path: Path) -> None:
    site.files["/pairs/deu-eng.zip"] = ARCHIVE + b"more"
    part = tmp_path / "part"
    url = site.address + "deu-eng.zip"
    fetch(url, part, timeout=5.0, retries=0, progress=lambda _done, _total: None)
    site.files["/pairs/deu-eng.zip"] = ARCHIVE

    fetch(url, part, timeout=5.0, retries=1, progress=lambda _done, _total: None)

    assert part.read_bytes() == ARCHIVE


def test_a_damaged_note_means_a_new_beginning(site: Site, tmp_path: Path) -> None:
    (tmp_path / ".deu-eng.zip.part").write_bytes(b"half")
    (tmp_path / ".deu-eng.zip.part.json").write_bytes(b"\xff{")

    get(site, tmp_path)

    assert_downloaded(tmp_path)


@pytest.mark.parametrize("status", [403, 451, 501])
def test_a_refusal_is_told_at_once(site: Site, tmp_path: Path, status: int) -> None:
    site.statuses = [status, status]

    with pytest.raises(DownloadError, match=rf"deu-eng\.zip: the server answers {status} \w+"):
        get(site, tmp_path)
    assert len(site.requests) == 1
    assert names(tmp_path) == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_trouble_is_tried_again(site: Site, tmp_path: Path, status: int) -> None:
    site.statuses = [status]

    get(site, tmp_path, "download.retries=1")

    assert_downloaded(tmp_path)


def test_a_trouble_that_does_not_pass_is_told(site: Site, tmp_path: Path) -> None:
    site.statuses = [503, 503]

    with pytest.raises(DownloadError, match="answers 503 Service Unavailable: run it again"):
        get(site, tmp_path, "download.retries=1")
    assert len(site.requests) == 2


def test_a_language_that_nobody_has_is_answered_with_the_names_near_to_it(site: Site, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"deo-eng\.zip: not found, did you mean .*deu \(German\)"):
        get(site, tmp_path, language="deo")
    with pytest.raises(DownloadError, match=r"fra-eng\.zip: not found: has the site moved\?"):
        get(site, tmp_path, language="fra")


@pytest.mark.parametrize(("cuts", "told"), [([0], "cut after 0 of"), ([700], "cut after 700 of")])
def test_a_silent_server_is_not_waited_for_for_ever(site: Site, tmp_path: Path, cuts: list[int], told: str) -> None:
    site.stalls = True
    site.cuts = cuts

    with pytest.raises(DownloadError, match=told):
        get(site, tmp_path, "download.retries=0", "download.timeout=0.2")


def test_a_server_that_never_answers_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        site = Site(address=f"http://127.0.0.1:{deaf.getsockname()[1]}/")
        with pytest.raises(DownloadError, match=r"no answer within 0\.2 s: run it again"):
            get(site, tmp_path, "download.retries=0", "download.timeout=0.2")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://127.0.0.1:{free}/", "the connection was refused"),
        ("http://[::1%25nowhere]/", "cannot be looked up: is there a network?"),
        ("http://..a/", "not an address that can be asked"),
        ("http://a:b/", "not an address that can be asked"),
    ],
)
def test_no_server_is_told_at_once(tmp_path: Path, address: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        free = closed.getsockname()[1]

    with pytest.raises(DownloadError) as error:
        get(Site(address=address.format(free=free)), tmp_path)

    assert told in str(error.value)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "said", [b"220 mail.example ESMTP\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"]
)
def test_what_answers_and_is_no_web_server_is_told(
    tmp_path: Path, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")

    def answer() -> None:
        # We hang up before all is said.
        with server.accept()[0] as connection, suppress(ConnectionError):
            connection.recv(1 << 16)
            connection.sendall(said)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DownloadError, match="what answers there is no web server"):
            get(Site(address=f"http://127.0.0.1:{server.getsockname()[1]}/"), tmp_path)
        thread.join()


def test_a_folder_that_cannot_be_made_is_told(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"file: cannot be made: .*: choose another folder with --out"):
        get(site, tmp_path / "file")
    assert site.requests == []


def damaged(archive: bytes) -> bytes:
    middle = len(archive) // 2
    return archive[:middle] + bytes([archive[middle] ^ 1]) + archive[middle + 1 :]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"<!DOCTYPE html><p>Log in first.", "not a zip archive but a web page"),
        (b"", "not a zip archive but something else"),
        (PAIRS, "not a zip archive but something else"),
        (ARCHIVE[:-1000], "truncated or damaged"),
        (damaged(archive_of({"deu.txt": PAIRS}, compression=zipfile.ZIP_STORED)), "damaged"),
        (
            damaged(archive_of({"deu.txt": b"a\tb\n", "_about.txt": ABOUT * 99}, compression=zipfile.ZIP_STORED)),
            "damaged",
        ),
        (archive_of({"_about.txt": ABOUT}), "no file of sentence pairs"),
        (archive_of({}), "is empty"),
        (archive_of({"deu.txt": b"no tabs\n" * 1000}), "no sentence pairs in the archive"),
        (archive_of({"deu.txt": b""}), "no sentence pairs in the archive"),
    ],
)
def test_what_is_no_archive_of_pairs_is_thrown_away(site: Site, tmp_path: Path, content: bytes, told: str) -> None:
    site.files["/pairs/deu-eng.zip"] = content

    with pytest.raises(DownloadError) as error:
        get(site, tmp_path, "download.retries=0")

    assert told in str(error.value)
    assert site.address in str(error.value)
    assert "deu.txt" not in names(tmp_path)
    assert ".deu-eng.zip.part" not in names(tmp_path)


@pytest.mark.parametrize("name", ["deu.txt", "deu_about.txt"])
def test_nothing_is_overwritten_unasked(site: Site, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")

    with pytest.raises(UsageError, match=rf"{name} is there already: --overwrite"):
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
