"""Commands that measure speed and quality and print the figures."""
