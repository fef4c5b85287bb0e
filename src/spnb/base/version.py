"""Which spnb this is: results note what computed them."""

from importlib.metadata import version


def own_version() -> str:
    """The same as ``spnb.__version__``, for those who may not look up that far."""
    return version("spnb")
