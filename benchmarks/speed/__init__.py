"""Speed and memory: ``python -m benchmarks.speed`` measures commands and runs, `serving` a server."""
