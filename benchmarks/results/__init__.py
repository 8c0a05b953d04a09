"""Systems trained on a pair file: ``python -m benchmarks.results`` fills the table of README.md and docs/recipes.md."""
