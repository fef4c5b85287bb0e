"""Small drawings as SVG text, for pages: shapes and words, and nothing else.

Shapes carry classes, so that a page's stylesheet may colour them; what is given as an attribute is
their look where there is no stylesheet.
"""

from html import escape

Attribute = str | float | None


def tag(name: str, *inside: str, **attributes: Attribute) -> str:
    """An element; ``inside`` is markup, values of attributes are escaped, None is left out."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{said}>{''.join(inside)}</{name}>" if inside else f"<{name}{said}/>"


def words(x: float, y: float, said: str, **attributes: Attribute) -> str:
    """A word at a place."""
    return tag("text", escape(said), x=x, y=y, **attributes)


def hint(said: str) -> str:
    """What a pointer that rests on a shape is told."""
    return tag("title", escape(said))


def drawing(width: float, height: float, label: str, *inside: str, class_: str) -> str:
    """A whole drawing, with what it says in words for those who do not see it."""
    return tag(
        "svg",
        *inside,
        viewBox=f"0 0 {_text(width)} {_text(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_=class_,
        font_family="system-ui, sans-serif",
        font_size=11,
    )


def line(points: "list[tuple[float, float]]", **attributes: Attribute) -> str:
    """A line through points."""
    path = " ".join(f"{_text(x)},{_text(y)}" for x, y in points)
    return tag("polyline", points=path, fill="none", **attributes)


def _text(value: Attribute) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
