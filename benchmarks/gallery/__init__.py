"""Every shipped model trained on one task: ``python -m benchmarks.gallery`` fills docs/gallery.md."""
