"""What the commands show on a terminal: warnings, bars, tables, and nothing that steers it."""
