"""Speed and memory: ``python -m benchmarks.speed`` measures commands and trainings, `serving` a server."""
