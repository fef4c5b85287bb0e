"""What others have written, made fit to be printed: one line, of a bounded length, nothing odd."""

from math import prod
from typing import Any

_LONGEST = 80
_SIGNS = {
    "─": "-",
    "█": "#",
    "±": "+-",
}  # that spnb writes itself, and what they are drawn with else
_MANY, _FEW = 8, 4  # of a list that is told: longer than one, it is cut to the other


def printable(text: str) -> str:
    """The text with everything escaped that could move a cursor or colour a terminal."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def with_signs_of(encoding: str, text: str) -> str:
    """The text with spnb's own signs in plain letters, where the encoding lacks them."""
    for sign, plain in _SIGNS.items():
        if sign in text and not _has(encoding, sign):
            text = text.replace(sign, plain)
    return text


def _has(encoding: str, sign: str) -> bool:
    try:
        sign.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def shown(value: object) -> str:
    """A value as a message quotes it, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of thousands of digits"
    except RecursionError:
        return "something nested too deeply"
    return cut(text, _LONGEST)


def said(error: BaseException) -> str:
    """What an error says, which may quote anything."""
    return cut(printable(str(error)), 300)


def cut(text: str, longest: int) -> str:
    """A text of a bounded length."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def listed(names: "list[str]", most: int = 10) -> str:
    """Some names in a row; the first few where there are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "none") + more


def brief(value: Any) -> str:
    """A value as code writes it, but tables by their size and long lists by how they begin."""
    shape = getattr(value, "shape", ())
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        shape = (len(value), len(value[0]))
    if shape and prod(shape) > _MANY:
        return f"[{' x '.join(map(str, shape))}]"
    if isinstance(value, tuple) and len(value) > _MANY:
        first = [f"{each:.4g}" if isinstance(each, float) else repr(each) for each in value[:_FEW]]
        return f"({', '.join(first)}, ... {len(value)} in all)"
    return repr(value)


def share_text(share: float) -> str:
    """A number in [0, 1] with two digits that mean something: ``0.46``, ``0.016``."""
    return f"{share:.2f}" if share == 0 or share >= 0.1 else f"{share:.2g}"


def chance_text(chance: float, form: str = ".2f") -> str:
    """A probability to two places (or as ``form`` says); what is not certain is not called so."""
    text = f"{chance:{form}}"
    if chance >= 1 or text != f"{1:{form}}":
        return text
    places = int(form[1]) + 2 * form.endswith("%")
    return f"over {1 - 10**-places:{form}}"


def amount(number: float, thing: str) -> str:
    """How many of a thing: ``1 round``, ``2 rounds``."""
    text = f"{number:.0f}"
    return f"{text} {thing}{'' if text == '1' else 's'}"


def count_text(number: float) -> str:
    """A large number without an exponent, a small one with four digits: ``11,520``, ``54.82``."""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"
