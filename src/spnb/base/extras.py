"""Parts of spnb that need more packages than simulation does."""

from importlib.util import find_spec

from spnb.base.errors import SpnbError

# Each extra, what it is for, and the packages that show whether it is installed.
EXTRAS = {
    "plot": ("a figure", ("matplotlib",)),
    "data": ("a data file", ("pyarrow",)),
    "pandas": ("a frame", ("pandas",)),
    "polars": ("a frame of polars", ("polars",)),
    "live": ("a campaign", ("sqlalchemy", "alembic")),
    "postgres": ("PostgreSQL", ("psycopg",)),
    "client": ("a service", ("httpx", "sqlalchemy")),
    "service": ("serving", ("fastapi", "uvicorn", "jinja2", "prometheus_client", "multipart")),
    "cluster": ("a cluster", ("distributed",)),
    "gym": ("an environment", ("gymnasium",)),
}


class MissingExtraError(SpnbError, ImportError):
    """Something was asked for whose packages are not installed."""


def need(extra: str) -> None:
    """Refuse with the command that installs what is missing, if anything is."""
    what, packages = EXTRAS[extra]
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"{what} needs {' and '.join(missing)}, not installed here: pip install 'spnb[{extra}]'"
        )


def has(extra: str) -> bool:
    return all(find_spec(name) is not None for name in EXTRAS[extra][1])
