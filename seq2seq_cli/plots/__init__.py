"""Pictures: attention and learning curves."""
