"""What a page or a refusal says is true, and of use to whoever reads it."""

import re
from html import unescape
from pathlib import Path

import httpx
import pytest

from service.conftest import Service
from spnb.live.campaign import Campaign


def test_a_closed_campaign_does_not_praise_an_arm_that_is_hardly_the_best(local: Service) -> None:
    campaign = Campaign.create(local.store, "c", arms=["x", "y"], agent="Challenge")
    campaign.tell(campaign.ask("x"), wins=7, trials=120)
    campaign.tell(campaign.ask("y"), reward=0)
    campaign.close()
    with local.http() as http:
        page = http.get(f"/campaigns/{campaign.uid}").text
    said = (
        "x is taken to be the best by its average (0.0583 over 120 rewards), but y, with 1 reward"
    )
    assert f"Closed. {said}" in page
    assert "Held for the best, with probability" not in page


def test_who_may_not_do_something_can_sign_in_with_another_token(local: Service) -> None:
    reads, writes = local.token("read"), local.token("write")
    with local.http() as http:
        signed_in(http, "/", reads)
        refused = http.get("/new")
        assert refused.status_code == 403
        link = re.search(r'href="(/sign-in[^"]*)">Sign in with another token', refused.text)
        assert link
        there = unescape(link[1])
        assert http.get("/sign-in").headers["location"] == "/", "who is signed in need not do it"
        assert signed_in(http, there, writes) == "/new"
        assert http.get("/new").status_code == 200


def signed_in(http: httpx.Client, path: str, token: str) -> str:
    """Where one gets from the form at this path."""
    page = http.get(path).text
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    answer = http.post("/sign-in", data=fields | {"token": token})
    assert answer.status_code == 303
    return answer.headers["location"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "the body is not JSON (line 1, column 2)"),
        ('{"arm": "a",\n "round" 1}', "the body is not JSON (line 2, column 10)"),
        ('{"arm": "a"}', "the body: name the round (without a schedule) or the time (with one)"),
        ('{"arm": "a", "round": 0}', "round: Input should be greater than or equal to 1"),
    ],
)
def test_a_body_that_cannot_be_read_is_told_in_words(local: Service, body: str, said: str) -> None:
    uid = local.client().create("c", arms=["a"]).uid
    with local.http() as http:
        headers = {"Content-Type": "application/json"}
        answer = http.post(f"/v1/campaigns/{uid}/decisions", content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["message"]) == (422, said)


def test_a_uid_that_no_campaign_can_have_is_not_found(local: Service) -> None:
    with local.http() as http:
        page = http.get("/campaigns/zzz")
        assert page.status_code == 404
        assert "There is no campaign &#39;zzz&#39;." in page.text
        answer = http.get("/v1/campaigns/zzz/status")
        assert answer.status_code == 404
        assert answer.json()["error"]["message"] == "there is no campaign 'zzz'"


def test_a_person_is_told_nothing_of_what_programs_send(local: Service, tmp_path: Path) -> None:
    (tmp_path / "service.db").rename(tmp_path / "away.db")
    with local.http() as http:
        page = http.get("/")
    (tmp_path / "away.db").rename(tmp_path / "service.db")
    assert page.status_code == 503
    assert "Wait a moment and try again." in page.text
    assert "Idempotency" not in page.text


@pytest.mark.parametrize(
    ("rule", "given", "said"),
    [
        ("above", {}, "The limit must be given"),
        ("below", {"high": "1"}, "The limit must be given"),
        ("range", {"low": "1"}, "Both ends of the range must be given"),
    ],
)
def test_a_limit_that_is_missing_is_told(
    local: Service, rule: str, given: dict[str, str], said: str
) -> None:
    with local.http() as http:
        mark = re.search(r'name="form_mark" value="(\w+)"', http.get("/new").text)
        assert mark
        form = {"form_mark": mark[1], "name": "c", "kind": "arms", "arms": "a,b", "rule": rule}
        page = http.post("/new", data=form | given)
    assert page.status_code == 422
    assert said.lower() in page.text.lower()
