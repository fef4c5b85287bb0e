"""The grammar of specs, read into calls of a builder.

    spec   = name [ "(" [ arg { "," arg } ] ")" ]
    arg    = value | word "=" value | word         (a lone word that names a flag switches it on)
    value  = number | "text" | true | false | spec

What a name means is the builder's: agents and policies (``spnb.bandits.spec``), random problems.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import Field
from typing import Any, NoReturn

from spnb.base.errors import SpecError

Build = Callable[[str, list[Any], dict[str, Any]], Any]
"""Makes an object of a name, its unnamed and its named arguments."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
          |(?P<text>"[^"]*"|'[^']*')
          |(?P<name>[A-Za-z_][\w.]*(?:-[A-Za-z]\w*)*\+?)
          |(?P<mark>[(),=]))""",
    re.VERBOSE,
)


DEEPEST, LONGEST_NUMBER = 20, 40  # no spec that means anything has more
_TRUTH = {"true": True, "false": False}


def read(spec: str, build: Build, example: str) -> Any:
    """What the builder makes of a spec; ``example`` is a name that it knows."""
    return _Parser(spec, build, example).whole()


def matched(
    name: str, accepted: "list[Field[Any]]", positional: list[Any], named: dict[str, Any]
) -> dict[str, Any]:
    """Unnamed and named arguments as one dictionary, by the fields that are accepted."""
    by_place = [field.name for field in accepted if not field.kw_only]
    if len(positional) > len(by_place):
        raise SpecError(f"{name} takes at most {len(by_place)} unnamed arguments, got {positional}")
    placed = dict(zip(by_place, positional, strict=False))
    names = [field.name for field in accepted]
    for word in named:
        if word not in names:
            raise SpecError(f"{name} has no parameter {word!r}; it has {', '.join(names)}")
        if word in placed:
            raise SpecError(f"{name}.{word} is given twice")
    return placed | named


class _Parser:
    """Recursive descent over the tokens of one spec."""

    def __init__(self, spec: str, build: Build, example: str) -> None:
        self.spec, self.build, self.example = spec, build, example
        self.tokens = [*_tokens(spec), ("end", "")]
        self.at = 0
        self.depth = 0

    def whole(self) -> Any:
        built = self._object()
        kind, word = self._take()
        if kind != "end":
            self._fail(f"unexpected {word!r} after its end")
        return built

    def _object(self) -> Any:
        kind, name = self._take()
        if kind != "name":
            self._fail(f"expected a name such as {self.example}, got {_word_or_end(name)}")
        self.depth += 1
        if self.depth > DEEPEST:
            self._fail(f"it is nested deeper than {DEEPEST}")
        positional: list[Any] = []
        named: dict[str, Any] = {}
        if self._word() == "(":
            self._take()
            while self._word() != ")":
                self._argument(positional, named)
                if self._word() != ")":
                    self._comma()
            self._take()
        self.depth -= 1
        return self.build(name, positional, named)

    def _argument(self, positional: list[Any], named: dict[str, Any]) -> None:
        kind, word = self.tokens[self.at]
        after = self.tokens[min(self.at + 1, len(self.tokens) - 1)][1]
        if kind == "name" and after == "=":
            self.at += 2
            if word in named:
                self._fail(f"{word} is given twice")
            named[word] = self._value()
        elif kind == "name" and after in (",", ")") and word.islower() and word not in _TRUTH:
            self.at += 1
            named[word] = True
        else:
            positional.append(self._value())

    def _value(self) -> Any:
        kind, word = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            if len(word) > LONGEST_NUMBER:
                self._fail(f"a number has at most {LONGEST_NUMBER} digits, got {word[:20]}...")
            return int(word) if re.fullmatch(r"[-+]?\d+", word) else float(word)
        if kind == "text":
            self.at += 1
            return word[1:-1]
        if word.lower() in _TRUTH:
            self.at += 1
            return _TRUTH[word.lower()]
        return self._object()

    def _word(self) -> str:
        return self.tokens[self.at][1]

    def _take(self) -> tuple[str, str]:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def _comma(self) -> None:
        _, word = self._take()
        if word != ",":
            self._fail(f"expected ',' or ')', got {_word_or_end(word)}")

    def _fail(self, why: str) -> NoReturn:
        raise SpecError(f"cannot read the spec {_short(self.spec)!r}: {why}")


def _short(spec: str) -> str:
    return spec if len(spec) <= 200 else f"{spec[:200]}..."


def _word_or_end(word: str) -> str:
    return repr(word) if word else "the end"


def _tokens(spec: str) -> Iterator[tuple[str, str]]:
    at, spec = 0, spec.rstrip()
    while at < len(spec):
        match = _TOKEN.match(spec, at)
        if match is None:
            odd = spec[at:].lstrip()[0]
            raise SpecError(f"cannot read the spec {_short(spec)!r}: unexpected character {odd!r}")
        kind = str(match.lastgroup)
        yield kind, match[kind]
        at = match.end()
