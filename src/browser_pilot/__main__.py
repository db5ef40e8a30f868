"""interim"""

from __future__ import annotations


def main() -> None:
    from .cli import main as cli

    cli()


main() if __name__ == "__main__" else None
