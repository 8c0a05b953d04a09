"""The translation server, with the requests and answers of LibreTranslate."""
