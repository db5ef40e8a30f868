"""Browser Pilot: an AI agent uses a web browser, under its user's control."""

__version__ = "0.1.0"
