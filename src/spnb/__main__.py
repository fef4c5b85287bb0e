"""``python -m spnb`` is the ``spnb`` command."""

from spnb.cli import main

if __name__ == "__main__":
    main()
