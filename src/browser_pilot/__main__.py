"""The command `browser-pilot`: with a subcommand the command line, without one the stdio adapter."""

from __future__ import annotations


def main() -> None: ...
