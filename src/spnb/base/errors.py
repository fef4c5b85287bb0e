"""What can go wrong at the border; inside, arrays are trusted."""


class SpnbError(ValueError):
    """Anything spnb refuses; its message is one line a person can act on."""


class SpecError(SpnbError):
    """A policy, an agent or a setting that makes no sense."""


class DataError(SpnbError):
    """A problem, a reward or a file that makes no sense."""


class MissingError(DataError):
    """Something is named that is not there."""


class AccessError(SpnbError):
    """A service that lets nobody in without a token, or not this far with this one."""


class ConflictError(SpnbError):
    """Somebody has already said or done otherwise."""


class StoreError(SpnbError):
    """A store that cannot be opened, read or written; nothing was half written."""


class GoneError(MissingError, StoreError):
    """A campaign was there and is no longer: it was deleted, or the store was replaced."""
