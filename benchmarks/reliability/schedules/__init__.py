"""Random commands side by side in one folder: ``python -m benchmarks.reliability.schedules``."""
