"""Every checkable statement of the paper, and spnb's own: one list that all who judge walk."""

from collections.abc import Mapping

from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.statements import articles, identification, own, regret, water
from spnb.paper.experiments.verdict import Claim, Statement, judged

STATEMENTS: tuple[Statement, ...] = (
    *regret.STATEMENTS,
    *identification.STATEMENTS,
    *articles.STATEMENTS,
    *water.STATEMENTS,
    *own.STATEMENTS,
)


def claims(results: Mapping[str, Plain]) -> list[Claim]:
    """The statements about these parts, each with the verdict that the results give."""
    return [judged(said, results[said.part]) for said in STATEMENTS if said.part in results]
