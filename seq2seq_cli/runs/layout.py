"""Where the parts of a run lie, for those too that look at runs without loading torch."""

from pathlib import Path

RUNS = Path("runs")
"""Where ``s2s train`` writes and other commands look when nothing else is said."""

FORMAT = 1
"""Of the files of a run, as far as they are ours: what a newer s2s writes may have a higher number."""

CONFIG = "config.yaml"
METRICS = "metrics.jsonl"
CORPUS = "corpus.json"
BEST = Path("best", "model.safetensors")
LAST = "last"
LOCK = ".lock"
