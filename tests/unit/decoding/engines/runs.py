"""Runs of small untrained models, and two engines side by side."""

from pathlib import Path

import numpy as np
import torch

from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.decoding.engine import Engine, forced_steps
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CONFIG
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.text.vocabulary import BOS, PAD

VOCABULARY = 13
SMALL = {"encoder": {"embedding_size": 6, "hidden_size": 6}, "decoder": {"embedding_size": 6, "hidden_size": 6}}


def small_model(config: ModelConfig, seed: int = 3) -> Seq2Seq:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build_model(config, src_size=VOCABULARY, tgt_size=VOCABULARY).eval()


def make_run(path: Path, model: Seq2Seq, config: Config | None = None) -> RunWriter:
    """A run folder without an exported model; its config need not be the model's, where nothing reads that part."""
    run = RunWriter(path)
    run.write(CONFIG, dump_config(config or Config()).encode())
    run.save_best(model.weights())
    return run


def opened(run: RunFolder) -> OnnxEngine:
    return OnnxEngine(run, ExportRecord.read(run.path), threads=1)


def random_sources(number: int, longest: int) -> list[list[int]]:
    random = np.random.default_rng(number)
    return [random.integers(VOCABULARY, size=random.integers(1, longest + 1)).tolist() for _ in range(number)]


def assert_alike(ours: Engine, reference: Engine, sources: list[list[int]]) -> None:  # type: ignore[type-arg]
    """Both propose the same for the sources, in several steps, with rows repeated, left out and put elsewhere.

    The features of given targets are the same, too, with probabilities and without.
    """
    random = np.random.default_rng(1)
    targets = [random.integers(PAD + 1, VOCABULARY, size=random.integers(4)).tolist() for _ in sources]
    without, alone, complete = (
        list(forced_steps(engine, sources, targets, with_probabilities=probabilities))
        for engine, probabilities in ((ours, False), (reference, False), (reference, True))
    )
    for (rows, found), (_, same), (_, expected) in zip(without, alone, complete, strict=True):
        assert found.tokens.shape == found.asked.shape == same.tokens.shape == (len(rows), 0)
        np.testing.assert_allclose(found.features, expected.features, rtol=0, atol=2e-6)
    states = [ours.start(sources), reference.start(sources)]
    tokens = np.full(len(sources), BOS)
    for k in range(2, 5):
        asked = random.integers(VOCABULARY, size=(len(tokens), k - 2))
        (found, first), (expected, second) = (
            engine.step(tokens, state, k=k, asked=asked)
            for engine, state in zip((ours, reference), states, strict=True)
        )
        for part, of_reference in zip(found, expected, strict=True):
            assert part.dtype == of_reference.dtype
            np.testing.assert_allclose(part, of_reference, rtol=0, atol=2e-6)
        looks = [engine.look(tokens, state) for engine, state in zip((ours, reference), states, strict=True)]
        assert [look is not None for look in looks] == 2 * [reference.has_attention]
        for seen, of_reference in zip(*(look or () for look in looks), strict=True):
            np.testing.assert_allclose(seen, of_reference, rtol=0, atol=2e-6)
        rows = random.integers(len(tokens), size=len(tokens) + 2)
        tokens = expected.tokens[rows, random.integers(k, size=len(rows))]
        states = [first.select(rows), second.select(rows)]
