"""Backends of the user interfaces: the side panel, the dashboard, and the state that both show."""
