"""What a part of the reproduction is: tasks that anyone may run, and what they add up to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from spnb.paper.experiments.plain import Plain


@dataclass(frozen=True, slots=True)
class Task:
    """One call, a pure function of its arguments, and how long it takes beside the others."""

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    weight: float
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, tick: object = None) -> Any:
        """``tick`` is for jobs that report from the inside; a task is too short for that."""
        return self.call(*self.arguments, **self.options)


class Recipe(Protocol):
    """A frozen dataclass whose fields are all the settings that its numbers depend on."""

    name: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def tasks(self) -> Mapping[Any, Task]:
        """What to run, under names of the recipe's own."""

    def results(self, found: Mapping[Any, Any]) -> Plain:
        """Everything the figures and claims need, from what the tasks found."""
