"""The paper's ten claims as pure functions of the results: what holds is what the run says."""

from collections.abc import Callable, Mapping

from spnb.paper.experiments import claims_bai, claims_rm, claims_studies
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.verdict import Claim

BY_PART: Mapping[str, tuple[Callable[[Plain], Claim], ...]] = {
    "rm": (claims_rm.less_regret, claims_rm.pulls_fall, claims_rm.revisited_worst),
    "bai": (
        claims_bai.rounds_saved,
        claims_bai.pulls_added,
        claims_bai.errors,
        claims_bai.grows_with_c,
        claims_bai.rejects_similar,
    ),
    "yahoo": (claims_studies.yahoo_ratios,),
    "water": (claims_studies.water_rounds,),
}


def claims(results: Mapping[str, Plain]) -> list[Claim]:
    """Every claim that the given parts (name -> results) speak to, in order."""
    found = [
        judge(results[part])
        for part, judges in BY_PART.items()
        if part in results
        for judge in judges
    ]
    return sorted(found, key=lambda claim: claim.id)
