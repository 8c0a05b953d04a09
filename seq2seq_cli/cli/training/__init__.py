"""What ``s2s train`` and ``s2s runs watch`` show of a training: its bar, its lines, its end."""
