"""Translation behind a web address, with the requests and answers of LibreTranslate."""
