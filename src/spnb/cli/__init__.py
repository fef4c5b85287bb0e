"""The command line: parse, call one function, print."""

from spnb.cli.app import main

__all__ = ["main"]
