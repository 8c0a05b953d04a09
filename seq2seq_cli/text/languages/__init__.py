"""What is known of languages: their names and codes, their scripts, and their abbreviations."""
