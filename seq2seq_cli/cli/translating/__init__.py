"""The parts of ``s2s translate``: what presents translations, as lines or JSON, its prompt, and its warnings."""
