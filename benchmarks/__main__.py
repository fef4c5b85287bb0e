"""``python -m benchmarks``, from the root of the repository."""

from benchmarks.run import main

if __name__ == "__main__":
    raise SystemExit(main())
