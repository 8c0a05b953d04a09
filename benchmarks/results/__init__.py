"""Systems trained on a pair file: ``python -m benchmarks.results`` fills the tables of README.md and docs/."""
