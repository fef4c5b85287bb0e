"""A figure that belongs to no window, and shows itself where a notebook ends a cell with it."""

from io import BytesIO

from matplotlib.figure import Figure


class Drawing(Figure):
    """As large on a page as it is on paper."""

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        self.savefig(image, format="png")
        return image.getvalue()
