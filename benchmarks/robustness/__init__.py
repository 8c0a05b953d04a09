"""Text as people type it: the test split in other dresses, and what a translator keeps of it."""
