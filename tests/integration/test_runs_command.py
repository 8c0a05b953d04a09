"""``s2s runs`` from the command line, after two short trainings."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.commands import refused, s2s_here, succeeded, with_modules
from tests.corpora import write_reversals
from tests.records import end, epoch, held_out, make_run, step
from tests.unit.pages.test_page import Parsed

SMALL = (
    *("--set", "model.encoder.hidden_size=8", "--set", "model.decoder.hidden_size=16"),
    *("--set", "model.encoder.embedding_size=16", "--set", "model.decoder.embedding_size=16"),
    *("--set", "training.epochs=2", "--set", "training.precision=fp32"),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared corpus and two runs of it."""
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt")
    succeeded(s2s_here(folder, "prepare", "pairs.txt"))
    for name in ("luong_dot", "luong_general"):
        succeeded(s2s_here(folder, "train", "--config", name, *SMALL))
    return folder


def test_the_list_has_the_numbers_the_model_and_the_state_of_each_run(home: Path) -> None:
    done = s2s_here(home, "runs")

    assert (done.returncode, done.stderr) == (0, "")
    header, *lines = done.stdout.splitlines()
    assert header.split()[:4] == ["run", "pairs", "epochs", "best"]
    assert [line.split()[0] for line in lines[::2]] == ["luong_general", "luong_dot"]
    assert all(re.search(r" 2 of 2 .* (bleu|chrf|loss) ", line) for line in lines[::2])
    assert lines[1].startswith("  luong decoder, general score; finished: all ")
    assert lines[3].startswith("  luong decoder, dot score; finished: all ")
    assert all(len(line) <= 100 for line in lines)


def test_columns_are_aligned_with_names_of_any_length(tmp_path: Path) -> None:
    records = (
        *(epoch(1400, 7, bleu=35.25), epoch(1490, 8, epochs=7.45, bleu=30.0, best=False)),
        *(end(1490, 8, "6-minute limit reached", epochs=7.45), held_out(1490, 7, bleu=34.0)),
    )
    make_run(tmp_path / "runs" / "a_name_that_goes_on_for_a_while", records, ("training.epochs=12",), pairs=162_268)
    make_run(tmp_path / "runs" / "b", [])
    header, *lines = s2s_here(tmp_path, "runs").stdout.splitlines()

    [(row, words)] = [pair for pair in pairwise(lines) if pair[0].startswith("a_name")]
    cells = {"pairs": "162,268", "epochs": "7.4 of 12", "best": "35.2 bleu", "test bleu": "34.0", "minutes": "24.9"}
    for title, cell in cells.items():
        assert header.index(title) + len(title) == row.index(cell) + len(cell), title
    assert words.endswith("; stopped: 6-minute limit reached")


def test_compare_prints_the_differing_keys_and_the_results(home: Path) -> None:
    done = s2s_here(home, "runs", "compare", "luong_dot", "runs/luong_general")

    assert (done.returncode, done.stderr) == (0, "")
    config, result = done.stdout.split("\n\n")
    assert [line.split() for line in config.splitlines()] == [
        ["config", "luong_dot", "luong_general"],
        ["model.attention.score", "dot", "general"],
    ]
    keys = [line.split("  ")[0] for line in result.splitlines()]
    assert keys[0] == "result"
    assert {"state", "best epoch", "bleu", "loss", "minutes", "parameters"} <= {*keys}
    state = next(line for line in result.splitlines() if line.startswith("state"))
    assert state.rindex("finished") == result.index("luong_general")


def test_compare_says_when_nothing_differs(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_run(tmp_path / "runs" / name, [epoch(100, 1)])
    done = s2s_here(tmp_path, "runs", "compare", "a", "b")
    assert done.stdout.startswith("config: nothing differs\n")


def test_plot_writes_a_picture_and_replaces_one_only_with_overwrite(home: Path) -> None:
    picture = home / "curves.svg"
    plot = ("runs", "plot", "luong_dot", "luong_general", "--out", "curves.svg")
    done = s2s_here(home, *plot)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "s2s: learning curves written to curves.svg\n"
    drawn = picture.read_bytes()
    assert b"luong_general" in drawn

    assert "--overwrite" in refused(s2s_here(home, *plot, "--x", "minutes"))
    assert picture.read_bytes() == drawn
    succeeded(s2s_here(home, *plot, "--x", "minutes", "--overwrite"))
    assert picture.read_bytes() != drawn


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--in", "nowhere"), "nowhere: no folder that can be read: train a run first"),
        (("compare", "luong_dot"), "two runs or more"),
        (("compare", "luong_dto", "luong_general"), "did you mean runs/luong_dot?"),
        (("compare", "luong_dot", "data"), "data: not a run folder"),
        (("plot", "luong_dot", "--out", "curves.jpg"), "learning curves can be written as .png, .svg, .pdf or .html"),
        (("plot", "luong_dot", "--metric", "rouge"), "'rouge'"),
    ],
)
def test_a_mistake_gives_one_line(home: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(s2s_here(home, "runs", *arguments))


def test_the_list_of_a_folder_without_runs_is_empty(tmp_path: Path) -> None:
    done = s2s_here(tmp_path, "runs", "--in", ".")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no runs are in ." in done.stderr


def test_all_runs_are_drawn_and_without_a_name_the_newest(home: Path) -> None:
    everything = sorted(f"runs/{path.name}" for path in (home / "runs").iterdir())
    succeeded(s2s_here(home, "runs", "plot", *everything, "--out", "all.svg"))
    assert (home / "all.svg").read_bytes().count(b"luong_general: last") == 2  # once per panel
    succeeded(s2s_here(home, "runs", "plot", "--out", "newest.svg"))
    assert b"luong_general: last" in (home / "newest.svg").read_bytes()


def test_a_page_has_the_attention_of_runs_to_the_same_pairs_at_each_validation(home: Path) -> None:
    succeeded(s2s_here(home, "runs", "plot", "luong_dot", "luong_general", "--out", "film.html"))
    data = Parsed((home / "film.html").read_bytes()).data
    dot, general = data["films"]
    assert (dot["name"], general["name"]) == ("luong_dot", "luong_general")
    assert data["curves"].startswith("data:image/svg+xml;base64,")
    for film in (dot, general):
        assert [frame["epochs"] for frame in film["frames"]] == [1, 2]
        for frame in film["frames"]:
            assert "held out" in frame["told"]
            for sentence, other in zip(frame["sentences"], dot["frames"][0]["sentences"], strict=True):
                assert (sentence["source"], sentence["tgt_tokens"]) == (other["source"], other["tgt_tokens"])
                sums = [sum(row) for row in sentence["weights"]]
                assert sums == pytest.approx([1] * len(other["tgt_tokens"]), abs=0.01)

    succeeded(s2s_here(home, "translate", "--model", "luong_dot", "--draw", "look.html", "k t t q"))
    assert Parsed((home / "look.html").read_bytes()).data["films"] == [dot]


def test_a_run_without_held_out_pairs_is_drawn_with_its_losses(tmp_path: Path) -> None:
    nothing = epoch(200, 1, bleu=None, chrf=None, loss=None)
    make_run(tmp_path / "runs" / "a", [step(100, 1, loss=3.0), step(200, 1, loss=2.5), nothing])
    done = s2s_here(tmp_path, "runs", "plot", "a", "--out", "a.svg")
    assert (done.returncode, done.stderr) == (0, "s2s: learning curves written to a.svg\n")
    assert b"a: last 2.500, training" in (tmp_path / "a.svg").read_bytes()
    assert "no bleu" in refused(s2s_here(tmp_path, "runs", "plot", "a", "--metric", "bleu", "--out", "b.svg"))


def test_listing_and_comparing_import_nothing_heavy(home: Path) -> None:
    for arguments in (["runs"], ["runs", "compare", "luong_dot", "luong_general"]):
        done, modules = with_modules(home, *arguments)
        succeeded(done)
        assert modules.isdisjoint({"torch", "spacy", "scipy", "matplotlib"})
