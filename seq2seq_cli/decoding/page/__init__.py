"""A trained run as a page for a browser: its graphs, its codecs and its rules as plain data."""
