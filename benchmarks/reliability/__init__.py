"""Commands that are killed, run side by side, or lose a call to the disk: nothing saved may be lost."""
