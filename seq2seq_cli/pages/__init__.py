"""Pages for a browser: plain data in, one HTML file out that asks the network for nothing."""
