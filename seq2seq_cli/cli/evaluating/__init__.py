"""What ``s2s evaluate`` reads and prints."""
