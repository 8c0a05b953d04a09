"""Commands that measure speed and print the figures."""
