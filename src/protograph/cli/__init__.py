"""The command ``protograph``."""

import sys


def main() -> None:
    """Run the command line; its own packages are imported only here."""
    try:
        from protograph.cli.app import run
    except ImportError as error:
        if error.name not in ("typer", "rich", "click"):
            raise
        sys.exit(f"error: the command protograph needs {error.name}; pip install typer rich")
    run()
