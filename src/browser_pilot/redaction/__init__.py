"""Finds secrets in texts, URLs, headers and data, and replaces them with placeholders."""
