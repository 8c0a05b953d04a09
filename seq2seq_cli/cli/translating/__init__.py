"""The parts of ``s2s translate``: its arguments, formats and outputs, and its prompt."""
