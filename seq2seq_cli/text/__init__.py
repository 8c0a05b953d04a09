"""One language's way from text to ids and back."""
