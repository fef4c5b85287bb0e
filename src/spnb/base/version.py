"""Which spnb this is: results note what computed them."""


def own_version() -> str:
    """The same as ``spnb.__version__``, for those who may not look up that far."""
    from importlib.metadata import version  # dear to load

    return version("spnb")
