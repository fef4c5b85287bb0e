"""What the site makes by itself: reference pages from the code, formulas, the picture of a season.

MkDocs calls the functions whose names begin with ``on_``.
"""

import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

import spnb
from spnb import gym, theory

NOTE = re.compile(r"^(```\w+) \w+$", re.MULTILINE)  # to the tests that run an example
FORMULA = re.compile(r"^```math\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
THEORY = ("setting.md", "theorems.md", "challenge.md", "theory.md")
GREEK = {"mu": "μ", "Delta": "Δ", "tau": "τ", "eps": "ε", "theta": "θ"}
CODE = r"(?ms)(^```.*?^```$|^    .*?$|`[^`\n]*`)"
SYMBOL = re.compile(r"\b(mu|Delta|tau|eps|theta|[NCAmpHn](?=_))(?:_(\w|\{[^}]*\}))?(?!\w)")
POWER = re.compile(r"\^(\{[^}]*\}|\([^()]*\)|\w)")
DIAGRAMS = re.compile(r"<script type=\"module\">(?:(?!</script>).)*?mermaid.*?</script>", re.DOTALL)
DEPLOY = Path(__file__).parents[1] / "deploy"
DAYS = 28
GROUPS = {
    "Compare agents": ("simulate", "identify"),
    "Problems": ("Problem", "experiment"),
    "Agents and policies": ("agent", "policy", "register", "adapt", "Agent", "Policy"),
    "Live": ("Learner", "Fleet", "SpreadFleet", "Campaign", "Schedule"),
    "Over HTTP": ("Client", "AsyncClient"),
    "Errors": ("SpnbError",),
}


def on_files(files: Files, config: Any) -> Files:
    pages = {
        "reference/python.md": python_page,
        "reference/command-line.md": command_page,
        "reference/http.md": http_page,
    }
    for name, page in pages.items():
        files.append(File.generated(config, name, content=page()))
    for path in sorted(DEPLOY.iterdir()):  # what a guide links to beside the docs
        files.append(File.generated(config, f"deploy/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_path in THEORY:
        markdown = "".join(map(typeset, re.split(CODE, markdown)))
    markdown = NOTE.sub(r"\1", markdown.replace("](../deploy/", "](deploy/"))
    drawn = FORMULA.sub(lambda found: convert(found[1].strip(), display="block") + "\n", markdown)
    return drawn.replace("<!-- season -->", season()) if "<!-- season -->" in drawn else drawn


def on_post_page(output: str, **_: Any) -> str:
    """Without the script for diagrams that notebooks bring along: it would be fetched from afar."""
    return DIAGRAMS.sub("", output)


def typeset(text: str) -> str:
    """Words such as mu_i as letters of mathematics; code, which the text is cut at, stays."""
    if re.fullmatch(CODE, text):
        return text

    def letter(found: re.Match[str]) -> str:
        name, below = found[1], found[2] or ""
        return GREEK.get(name, name) + (f"<sub>{below.strip('{}')}</sub>" if below else "")

    lettered = SYMBOL.sub(letter, text).replace(" <= ", " ≤ ").replace(" >= ", " ≥ ")
    return POWER.sub(lambda found: f"<sup>{found[1].strip('{}()')}</sup>", lettered)


def season() -> str:
    """Four weeks of a learner on seven slots a day, one of them better than the others."""
    from random import Random

    from spnb.live.campaign.story import Cell
    from spnb.report.picture import rounds_picture

    slots = {"06:00": 0.1, "08:00": 0.3, "10:00": 0.8, "12:00": 0.4,
             "14:00": 0.2, "16:00": 0.3, "18:00": 0.1}  # fmt: skip
    learner, luck, cells = spnb.Learner("Seq(TS)", arms=len(slots), seed=2), Random(2), []
    for day in range(1, DAYS + 1):
        for arm, (slot, mean) in enumerate(slots.items()):
            if not learner.ask(arm):
                cells.append(Cell(day, slot, "pass"))
                continue
            reward = float(luck.random() < mean)
            learner.pulled(arm)
            learner.observe(arm, reward)
            cells.append(Cell(day, slot, "told", reward))
        learner.next_round()
    best = list(slots)[learner.recommend()]
    if slots[best] < max(slots.values()):
        raise ValueError(f"the page says that the best slot is found, but it was {best}")
    drawn = rounds_picture(cells, list(slots), first=1, shown=DAYS, best=best)
    return f'<div class="setting">{drawn}</div>'


def python_page() -> str:
    """Every public name, with its signature and what it says of itself."""
    parts = ["# Python\n\nEverything here is imported from `spnb`, but for the theory functions."]
    for title, names in public().items():
        parts.append(f"## {title}")
        parts += [f"::: {where(getattr(spnb, name))}" for name in names]
    bounds = [v for n, v in vars(theory).items() if inspect.isfunction(v) and not n.startswith("_")]
    parts.append("## Theory\n\nFrom `spnb.theory`.")
    parts += [f"::: {where(each)}" for each in bounds]
    parts.append("## Gymnasium\n\nFrom `spnb.gym`.")
    parts += [f"::: {where(getattr(gym, name))}" for name in gym.__all__]
    parts.append("## Contracts\n\nFrom `spnb.testing`: what a policy of your own must pass.")
    parts.append("::: spnb.testing\n    options:\n      show_root_heading: false")
    return "\n\n".join(parts) + "\n"


def public() -> dict[str, list[str]]:
    """The names that ``spnb`` offers, under the first heading that fits each."""
    found: dict[str, list[str]] = {title: [] for title in GROUPS}
    for name in spnb.__all__:
        found[next(title for title in GROUPS if fits(getattr(spnb, name), name, title))].append(
            name
        )
    return found


def fits(value: Any, name: str, title: str) -> bool:
    """Whether a name is listed under this heading, or is a kind of what is."""
    kinds = tuple(kind for each in GROUPS[title] if inspect.isclass(kind := getattr(spnb, each)))
    return name in GROUPS[title] or (inspect.isclass(value) and issubclass(value, kinds))


def where(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


def command_page() -> str:
    """Every command with its help, as the terminal shows it."""
    from typer.main import get_command

    from spnb.cli.app import app

    parts = ["# Command line\n\nWhat `spnb COMMAND --help` shows, all in one place."]
    for path, command in commands(get_command(app), "spnb"):
        parts.append(f"## {path}\n\n```text\n{help_of(command, path)}\n```")
    return "\n\n".join(parts) + "\n"


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from commands(command.get_command(None, name), f"{path} {name}")


def help_of(command: Any, path: str) -> str:
    context = command.context_class(command, info_name=path, terminal_width=88)
    text: str = command.get_help(context)
    return text


def http_page() -> str:
    """Every route, from the description that the service itself gives."""
    from spnb.service.app import create_app

    told = create_app("sqlite://").openapi()
    parts = [
        "# HTTP\n\nThe routes of `spnb serve`, as its own description at `/v1/openapi.json` has "
        "them; the [guide](../service.md) shows how they are used."
    ]
    for path, methods in told["paths"].items():
        for method, route in methods.items():
            parts.append(route_text(method.upper(), path, route, told["components"]["schemas"]))
    return "\n\n".join(parts) + "\n"


def route_text(method: str, path: str, route: Any, schemas: Any) -> str:
    parts = [f"## {method} {path}\n\n{route['description'].strip()}"]
    named = [
        (f"`{each['name']}`", each["in"], each.get("description", ""))
        for each in route.get("parameters", [])
    ]
    body = route.get("requestBody", {}).get("content", {}).get("application/json", {})
    if reference := body.get("schema", {}).get("$ref"):
        fields = schemas[reference.rsplit("/", 1)[-1]]
        for name, each in fields["properties"].items():
            must = "" if name in fields.get("required", ()) else "may be left out"
            named.append((f"`{name}`", "body", each.get("description", must)))
    if named:
        parts.append(table(("parameter", "in", ""), named))
    answers = [(code, each["description"]) for code, each in route["responses"].items()]
    parts.append(table(("status", "meaning"), answers))
    return "\n\n".join(parts)


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cells).replace("\n", " ") + " |" for cells in lines)
