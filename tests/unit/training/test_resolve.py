from pathlib import Path

import pytest

from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.loader import dump_config, load_config, load_saved_config, overridden_keys
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import ConfigError, UsageError
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.training.resolve import LEFT_TO_CORPUS, given_up, resolve_config, resumed_changes
from tests.corpora import pair_lines, prepared
from tests.tiny import tiny_config


def test_what_a_config_leaves_out_is_taken_from_the_corpus(corpus: PreparedCorpus) -> None:
    assert resolve_config(load_config("luong_concat"), corpus).text == corpus.manifest.text
    assert not corpus.manifest.text.tgt.spacing


def resolved(corpus: PreparedCorpus, *overrides: str, config: str | None = None) -> Config:
    """As ``s2s train --config CONFIG --set OVERRIDE ...`` resolves it."""
    return resolve_config(load_config(config, overrides), corpus, overridden=overridden_keys(overrides))


def saved_and_loaded(config: Config, folder: Path) -> Config:
    """As a run keeps it."""
    (folder / "config.yaml").write_text(dump_config(config), encoding="utf-8")
    return load_saved_config(folder / "config.yaml")


@pytest.mark.parametrize("name", [entry.name for entry in list_configs()])
def test_a_run_with_a_shipped_config_can_be_opened(name: str, corpus: PreparedCorpus, tmp_path: Path) -> None:
    config = resolved(corpus, config=name)
    assert saved_and_loaded(config, tmp_path) == config


def test_a_config_that_a_run_could_not_be_opened_with_is_refused(corpus: PreparedCorpus) -> None:
    broken = load_config(None).with_value("training.weight_decay", 0.1)
    with pytest.raises(ConfigError, match=r"training\.weight_decay \(0\.1\) and training\.optimiser \(adam\)"):
        resolve_config(broken, corpus)


def test_the_command_line_must_agree_with_the_corpus(corpus: PreparedCorpus) -> None:
    with pytest.raises(UsageError, match=r"data\.limit is 7, .* has null; text\.tgt\.spacing is true, .* has false"):
        resolved(corpus, "text.tgt.spacing=true", "data.limit=7")
    assert resolved(corpus, "text.tgt.spacing=false").text == corpus.manifest.text


@pytest.mark.parametrize(
    ("config", "change"),
    [
        ("quick", "model.tied_embeddings: all -> target"),
        ("tutorial", "data.limit: 10000 -> null"),
        ("papers/luong2015", "data.max_tokens: 50 -> 100"),
    ],
)
def test_the_data_and_text_of_a_config_give_way_to_those_of_the_corpus(
    corpus: PreparedCorpus, config: str, change: str
) -> None:
    found = resolved(corpus, config=config)
    assert (found.data, found.text) == (corpus.manifest.data, corpus.manifest.text)
    (told,) = given_up(load_config(config), found, corpus)
    assert told.startswith(f"values of the config replaced by values of {corpus.path}: ")
    assert change in told


def test_a_language_to_be_found_is_the_one_that_was_found(corpus: PreparedCorpus) -> None:
    assert resolved(corpus, "text.src.language=auto", "text.tgt.language=auto").text == corpus.manifest.text
    with pytest.raises(UsageError, match=r"text\.src\.language is fr, .* has en"):
        resolved(corpus, "text.src.language=fr")


def test_a_location_score_needs_a_place_for_each_token_of_the_longest_source(
    corpus: PreparedCorpus, tmp_path: Path
) -> None:
    # The longest sequence has 6 symbols, and <eos>; data.max_tokens allows 100.
    location = "model.attention.score=location"
    shortest = resolved(corpus, location, "model.attention.max_length=7")
    assert shortest.model.attention.max_length == 7
    assert saved_and_loaded(shortest, tmp_path) == shortest
    with pytest.raises(UsageError, match=r"model\.attention\.max_length \(6\) is too small .* 7 tokens with <eos>"):
        resolved(corpus, location, "model.attention.max_length=6")
    in_a_file = load_config(None, [location, "model.attention.max_length=6"])
    raised = resolve_config(in_a_file, corpus)
    assert raised.model.attention.max_length == 7
    assert saved_and_loaded(raised, tmp_path) == raised


def test_one_matrix_for_all_words_needs_one_vocabulary(corpus: PreparedCorpus) -> None:
    with pytest.raises(UsageError, match=r"model\.tied_embeddings \(all\) and text\.shared_vocabulary \(auto\)"):
        resolved(corpus, "model.tied_embeddings=all", "model.decoder.readout=attentional")
    assert resolved(corpus, config="quick").model.tied_embeddings == "target"


def test_changes_of_a_resumed_run_are_told(corpus: PreparedCorpus) -> None:
    old, new = tiny_config(corpus), tiny_config(corpus, "training.lr=0.5", "decoding.batch_size=8")
    told = resumed_changes(old, new, Path("runs/x"))
    assert told == ["training.lr: 0.001 -> 0.5 (applied)", "decoding.batch_size: 128 -> 8 (applied)"]


def test_changes_of_the_model_are_refused_all_at_once(corpus: PreparedCorpus) -> None:
    old = tiny_config(corpus)
    new = load_config(None, ["model.attention.score=dot", "training.lr=0.5"])
    with pytest.raises(UsageError) as refused:
        resumed_changes(old, new, Path("runs/x"))
    (line,) = refused.value.args
    for told in ("model.encoder.hidden_size: 12 -> 256", "model.attention.score: general -> dot"):
        assert told in line
    assert line.startswith("runs/x ")
    assert "training.lr" not in line  # it could be applied
    assert "--out" in line


def test_dropout_may_change_and_null_may_become_the_size_it_stands_for(corpus: PreparedCorpus) -> None:
    dropouts = [f"model.{side}.{key}" for side in ("encoder", "decoder") for key in ("dropout=0.5", "word_dropout=0.1")]
    dropouts += ["model.encoder.state_dropout=0.2", "model.decoder.readout_dropout=0.2"]
    new = tiny_config(corpus, *dropouts, "model.attention.size=12")
    told = resumed_changes(tiny_config(corpus), new, Path("runs/x"))
    assert len(told) == 7
    assert "model.decoder.word_dropout: 0.0 -> 0.1 (applied)" in told
    assert "model.attention.size: null -> 12 (applied)" in told
    with pytest.raises(UsageError, match=r"model\.attention\.size: null -> 13"):
        resumed_changes(tiny_config(corpus), tiny_config(corpus, "model.attention.size=13"), Path("runs/x"))


@pytest.mark.parametrize("change", ["epochs=9", "patience=2", "batch_size=7", "seed=5", "precision=auto", "keep=3"])
def test_how_a_run_trains_may_change(corpus: PreparedCorpus, change: str) -> None:
    (applied,) = resumed_changes(tiny_config(corpus), tiny_config(corpus, f"training.{change}"), Path("runs/x"))
    assert applied.endswith(f" -> {change.split('=')[1]} (applied)")


JAPANESE = "先週の日曜日に学生は図書館で自転車を"


def without_spaces(folder: Path, *overrides: str) -> PreparedCorpus:
    """Targets without spaces: of a language that s2s knows nothing of, unless it is told another."""
    pairs = [(f"word {number} here", f"{JAPANESE}{number}") for number in range(40)]
    return prepared(folder, pairs, ["text.unit=character", "text.src.language=en", *overrides])


def test_chrf_chooses_the_best_weights_where_bleu_finds_no_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    unknown = without_spaces(tmp_path / "a", "text.tgt.language=xxa")
    assert resolve_config(load_config(None), unknown).training.best_metric == "chrf"
    assert "chosen by chrF: the sentences of the target language (xxa) have no spaces" in caplog.text
    stated = load_config(None, ["training.best_metric=bleu"])
    assert resolve_config(stated, unknown).training.best_metric == "bleu"
    caplog.clear()
    chinese = without_spaces(tmp_path / "b", "text.tgt.language=zh")
    assert resolve_config(load_config(None), chinese)
    assert not caplog.text


@pytest.mark.parametrize(("held_out", "metric"), [(999, "chrf"), (1000, "bleu")])
def test_few_held_out_pairs_are_told_apart_by_chrf(tmp_path: Path, held_out: int, metric: str) -> None:
    lines = pair_lines(held_out + 40)
    (tmp_path / "valid.txt").write_text("\n".join(lines[:held_out]), encoding="utf-8")
    (tmp_path / "pairs.txt").write_text("\n".join(lines[held_out:]), encoding="utf-8")
    prepare(tmp_path / "pairs.txt", valid=[tmp_path / "valid.txt"], out=tmp_path / "prepared")
    corpus = PreparedCorpus.open(tmp_path / "prepared")
    assert resolve_config(load_config(None), corpus).training.best_metric == metric


def test_the_length_limit_follows_the_lengths_of_the_training_pairs(corpus: PreparedCorpus, tmp_path: Path) -> None:
    assert resolve_config(load_config(None), corpus).decoding.max_length_factor == 1.5
    longer = prepared(tmp_path, [(f"w{number}", f"a b c {number}") for number in range(40)])
    assert resolve_config(load_config(None), longer).decoding.max_length_factor == pytest.approx(1.4 * 4)
    stated = load_config(None, ["decoding.max_length_factor=2"])
    assert resolve_config(stated, longer).decoding.max_length_factor == 2


def test_what_was_decided_for_a_corpus_is_decided_anew_for_another_one(corpus: PreparedCorpus, tmp_path: Path) -> None:
    path, decided = tmp_path / "config.yaml", ["training.best_metric=bleu", "decoding.max_length_factor=9"]
    path.write_text(dump_config(load_config(None, decided)), encoding="utf-8")
    anew = resolve_config(load_saved_config(path, without=LEFT_TO_CORPUS), corpus)
    assert (anew.training.best_metric, anew.decoding.max_length_factor) == ("chrf", 1.5)
    assert load_saved_config(path, decided, without=LEFT_TO_CORPUS) == load_config(None, decided)


def test_the_first_weights_of_a_resumed_run_are_drawn_already(corpus: PreparedCorpus) -> None:
    new = tiny_config(corpus, "model.initialisation.output_std=0.4")
    with pytest.raises(UsageError, match=r"output_std: 0\.2 -> 0\.4"):
        resumed_changes(tiny_config(corpus), new, Path("runs/x"))
