"""The config for JoeyNMT, and the figures in its log."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.joeynmt import enough, joeynmt_config, mean_rate, peak_in, speeds
from benchmarks.models import measured_config

LINE = "12:00:00,1 - INFO - joeynmt.training - Epoch   1, Step:   5, Batch Acc: 0.1, Tokens per Sec: {:8d}, Lr: 1\n"


def test_speeds_are_read_from_its_log() -> None:
    log = ["EPOCH 1\n", LINE.format(720), "UserWarning: something\n", LINE.format(1650), "RuntimeError: no\n"]
    read = speeds(log)
    assert [next(read), next(read)] == [720, 1650]
    with pytest.raises(RuntimeError, match=r"ended by itself: (.*\n)+RuntimeError: no"):
        next(read)


def test_the_first_figure_is_left_out_and_at_least_one_is_taken() -> None:
    times = iter([100.0, 105.0, 111.0])
    assert enough(iter([1, 20, 30, 40]), 10.0, clock=lambda: next(times)) == [20, 30]
    times = iter([100.0, 150.0])
    assert enough(iter([1, 20, 30]), 10.0, clock=lambda: next(times)) == [20]


def test_the_peak_of_its_process_is_read_in_megabytes() -> None:
    assert peak_in("Name:\tpython\nVmPeak:\t  9000 kB\nVmHWM:\t  2500 kB\nThreads:\t3\n") == 2.56


def test_the_mean_is_over_parts_of_equally_many_tokens() -> None:
    # 600 tokens in 1 s and in 3 s: 1,200 in 4 s.
    assert mean_rate([600, 200]) == pytest.approx(300.0)


def test_its_config_has_the_sizes_of_ours() -> None:
    config: dict[str, Any] = joeynmt_config(measured_config("Luong, input feeding"), Path("work"))
    model, training = config["model"], config["training"]
    assert (model["encoder"]["hidden_size"], model["encoder"]["bidirectional"]) == (128, True)
    assert (model["decoder"]["hidden_size"], model["decoder"]["input_feeding"]) == (256, True)
    assert model["decoder"]["embeddings"]["embedding_dim"] == 256
    assert (training["batch_size"], training["batch_type"], training["optimizer"]) == (80, "sentence", "adamw")
    assert config["data"]["special_symbols"]["eos_id"] == 3
    assert config["data"]["src"]["voc_file"] == "work/vocabulary.txt"
