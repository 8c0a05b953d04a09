"""Commands that measure speed, quality and reliability and print the figures; README.md lists them."""
