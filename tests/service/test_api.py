"""Campaigns over HTTP mean what they mean in the library."""

import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service.conftest import Service
from spnb.base.errors import ConflictError, DataError, MissingError, SpnbError
from spnb.client import AskOf, Client, RemoteCampaign, RewardOf
from spnb.live.campaign import Campaign, Decision, Told
from spnb.live.learner import FORM
from spnb.live.store import Store

ARMS = ["a", "b", "c"]


def begun(client: Client, name: str = "c", **given: Any) -> RemoteCampaign:
    return client.create(name, arms=ARMS, seed=7, **({"agent": "Uniform+"} | given))


def test_a_campaign_over_http_decides_as_one_in_the_library(service: Service) -> None:
    remote = begun(service.client(), agent="Seq(TS)")
    with Store("sqlite://") as store:
        local = Campaign.create(store, "c", arms=ARMS, agent="Seq(TS)", seed=7)
        for round_ in range(1, 15):
            for place, arm in enumerate(ARMS):
                here, there = local.ask(arm, round_), remote.ask(arm, round_)
                assert (here.id, here.pull, here.reason) == (there.id, there.pull, there.reason)
                if here.pull:
                    reward = float((round_ + place) % 2)
                    local.tell(here, reward=reward)
                    assert remote.tell(there, reward=reward).new
                    assert not remote.tell(there, reward=reward).new
        assert remote.recommend() == local.recommend()
        assert remote.status().arms == local.status().arms
        assert remote.config == local.config
    verdict = remote.verify()
    assert verdict.ok
    assert verdict.events == remote.outline().events == len(list(remote.events()))


def test_rewards_are_corrected_lost_and_told_to_the_latest_pull(service: Service) -> None:
    remote = begun(service.client(), reward="above 0.5")
    first = remote.ask("a", 1)
    assert remote.tell(value=0.75).reward == 1.0
    assert remote.correct(first, value=0.25).reward == 0.0
    assert remote.correct(first, lost=True).reward is None
    second = remote.ask("b", 1)
    assert remote.lost(second.uid).reward is None
    assert remote.lost(second.id).new is False
    with pytest.raises(MissingError, match="no decision"):
        remote.tell(77, reward=1)
    with pytest.raises(DataError, match="no id"):
        remote.tell("x" * 50, reward=1)
    with pytest.raises(ConflictError):
        remote.tell(remote.ask("c", 1), reward=1) and remote.lost()


def test_an_ask_without_a_round_means_the_offer_that_comes_next(local: Service) -> None:
    remote = begun(local.client())
    assert [remote.ask(arm).round for arm in ("a", "b", "a", "a", "c")] == [1, 1, 2, 2, 2]
    scheduled = local.client().create(
        "s", schedule={"slots": "00:00/1h", "zone": "UTC"}, agent="Uniform+"
    )
    now = datetime.now(UTC)
    decision = scheduled.ask()
    assert decision.arm == f"{now:%H}:00" or decision.arm == f"{datetime.now(UTC):%H}:00"
    assert decision.until is not None
    assert scheduled.ask(at=datetime.now(UTC)).id == decision.id


def test_states_and_arms_change_as_in_the_library(service: Service) -> None:
    remote = begun(service.client())
    assert remote.pause().state == "paused"
    assert not remote.ask("a", 1).pull
    assert remote.resume().state == "running"
    remote.add_arm("d", before="b")
    remote.retire_arm("c")
    remote.ask("a", 1)
    assert [remote.ask(arm, 2).pull for arm in ("a", "d", "b")] == [True] * 3
    with pytest.raises(DataError, match="no jump"):
        remote.void()
    assert remote.close().state == "closed"
    with pytest.raises(ConflictError):
        remote.resume()


def test_an_exported_campaign_goes_on_elsewhere_and_can_be_deleted(service: Service) -> None:
    client = service.client()
    remote = begun(client)
    remote.tell(remote.ask("a", 1), reward=1)
    lines = list(remote.export())
    copy = client.import_(lines, "copy")
    assert copy.verify().ok
    with pytest.raises(ConflictError):
        client.import_(lines)
    seal = json.loads(lines[-1])["hash"]
    remote.ask("b", 1)
    with pytest.raises(ConflictError, match="export it again"):
        remote.delete(seal)
    seal = json.loads(list(remote.export(move=True))[-1])["hash"]
    with pytest.raises(ConflictError, match="moved"):
        remote.ask("c", 1)
    remote.delete(seal)
    with pytest.raises(MissingError):
        remote.outline()
    assert [outline.name for outline in client.campaigns()] == ["copy"]
    again = client.import_(lines)
    assert again.uid == remote.uid
    assert remote.outline().events == 3  # back again, under the same id


def test_an_import_whose_answer_was_lost_is_answered_again_under_its_key(service: Service) -> None:
    lines = "".join(begun(service.client()).export())
    with service.http() as http:
        sent: Any = {
            "content": lines,
            "headers": {"Content-Type": "application/x-ndjson", "Idempotency-Key": "bring it"},
        }
        first = http.post("/v1/imports?name=copy", **sent)
        again = http.post("/v1/imports?name=copy", **sent)
        assert first.status_code == again.status_code == 201
        assert first.text == again.text
        other = http.post("/v1/imports?name=another", **sent)
        assert other.status_code == 422
    assert [outline.name for outline in service.client().campaigns()] == ["c", "copy"]


def test_the_same_key_does_it_once(service: Service) -> None:
    remote = begun(service.client())
    with service.http() as http:
        path = f"/v1/campaigns/{remote.uid}/arms"
        key = {"Idempotency-Key": "once"}
        first = http.post(path, json={"arm": "d"}, headers=key)
        again = http.post(path, json={"arm": "d"}, headers=key)
        assert (first.status_code, first.text) == (again.status_code, again.text)
        assert first.status_code == 201
        other = http.post(path, json={"arm": "e"}, headers=key)
        assert other.status_code == 422
        assert "something else" in other.json()["error"]["message"]
        assert http.post(path, json={"arm": "d"}).status_code == 409  # another request


def test_the_same_key_at_the_same_time_does_it_once(service: Service) -> None:
    answers: list[tuple[int, str]] = []
    with service.http() as http:

        def send() -> None:
            body = {"name": "one", "arms": ARMS}
            key = {"Idempotency-Key": "k"}
            answer = http.post("/v1/campaigns", json=body, headers=key)
            answers.append((answer.status_code, answer.text))

        threads = [threading.Thread(target=send) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(answers)) == 1
    assert answers[0][0] == 201


def test_many_at_once_are_answered_one_by_one(service: Service) -> None:
    client = service.client()
    campaigns = [begun(client, f"c{n}") for n in range(5)]
    asks = [AskOf(c.uid, arm="a", round=1) for c in campaigns]
    asks += [AskOf(campaigns[0].uid, arm="b", round=1), AskOf(campaigns[0].uid, arm="x", round=1)]
    *decisions, unknown = client.ask_many([*asks, AskOf("0" * 16, arm="a", round=1)])
    assert isinstance(unknown, MissingError)
    assert isinstance(decisions[-1], SpnbError)
    pulls = [each for each in decisions[:-1] if isinstance(each, Decision)]
    assert len(pulls) == 6
    rewards = [RewardOf(str(pull.uid), reward=n % 2) for n, pull in enumerate(pulls)]
    *told, bad, refused = client.tell_many(
        [*rewards, RewardOf("nonsense", reward=1), RewardOf(str(pulls[0].uid), reward=1)]
    )
    assert all(isinstance(each, Told) and each.new for each in told)
    assert isinstance(bad, DataError)
    assert isinstance(refused, ConflictError)
    again = client.tell_many(rewards)
    assert [isinstance(each, Told) and each.new for each in again] == [False] * 6
    assert all(campaign.verify().ok for campaign in campaigns)


def test_an_item_that_makes_no_sense_is_refused_by_itself(local: Service) -> None:
    client = local.client()
    campaign = begun(client, "c")
    asks = [AskOf("nobody", arm="a", round=1)]
    asks += [AskOf(campaign.uid, arm=arm, round=1) for arm in "ab"]
    asks.insert(2, AskOf(campaign.uid, arm="c", round=0))
    stranger, first, early, second = client.ask_many(asks)
    assert isinstance(stranger, DataError)
    assert isinstance(early, DataError)
    assert str(early) == "round: Input should be greater than or equal to 1"
    pulls = [each for each in (first, second) if isinstance(each, Decision)]
    assert [pull.arm for pull in pulls] == ["a", "b"]
    uids = [str(pull.uid) for pull in pulls]
    bad = [RewardOf(uids[0], reward=reward) for reward in (1.5, float("nan"))]
    *refused, told = client.tell_many([*bad, RewardOf(uids[1], reward=1)])
    assert [type(each) for each in refused] == [DataError] * 2
    assert isinstance(told, Told)
    assert [pull.arm for pull in campaign.pending()] == ["a"]
    assert all(isinstance(each, DataError) for each in client.ask_many([asks[0]] * 2))
    assert campaign.verify().ok


def test_a_batch_says_of_each_item_what_became_of_it(local: Service) -> None:
    uid = begun(local.client(), "c").uid
    good = {"campaign": uid, "arm": "a", "round": 1}
    with local.http() as http:
        answer = http.post("/v1/decisions", json={"items": ["a", good, {**good, "x": 1}]})
        assert answer.status_code == 200
        first, second, third = answer.json()["items"]
        assert first["decision"] is None
        assert first["error"]["code"] == third["error"]["code"] == "invalid"
        assert first["error"]["message"].startswith("the item: ")
        assert third["error"]["message"] == "x: Extra inputs are not permitted"
        assert second["decision"]["pull"]
        wrong: list[dict[str, Any]] = [{"items": []}, {"items": [good] * 1001}, {"items": 1}]
        for whole in [*wrong, {"items": [good], "more": 1}]:
            assert http.post("/v1/decisions", json=whole).status_code == 422


def test_lists_come_in_pages(local: Service) -> None:
    client = local.client()
    for n in range(7):
        begun(client, f"c{n}")
    with local.http() as http:
        names: list[str] = []
        after: str | None = ""
        while after is not None:
            page = http.get("/v1/campaigns", params={"limit": 3, "after": after}).json()
            names += [item["name"] for item in page["items"]]
            after = page["next"]
        assert names == [f"c{n}" for n in range(7)]
        campaign = client.campaign("c3")
        for arm in ARMS:
            campaign.ask(arm, 1)
        path = f"/v1/campaigns/{campaign.uid}/events"
        page = http.get(path, params={"limit": 3}).json()
        assert [event["seq"] for event in page["items"]] == [1, 2, 3]
        rest = http.get(path, params={"after": page["next"]}).json()
        assert [event["seq"] for event in rest["items"]] == [4]
        assert rest["next"] is None


def test_pages_have_every_campaign_whatever_order_the_database_has(
    serve: Callable[[str], Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["apple", "Banana", "cherry", "Date"]
    service = serve(store_without_regard_to_case(tmp_path / "s.db"))
    for name in names:
        begun(service.client(), name)
    monkeypatch.setattr("spnb.service.pages.overview._PAGE", 1)
    assert [outline.name for outline in service.client().campaigns()] == sorted(names)
    with service.http() as http:
        pages: list[str] = []
        after: str | None = ""
        while after is not None:
            page = http.get("/v1/campaigns", params={"limit": 1, "after": after}).json()
            shown = http.get("/", params={"after": after}).text
            assert [name for name in names if f">{name}<" in shown] == [page["items"][0]["name"]]
            pages += [item["name"] for item in page["items"]]
            after = page["next"]
    assert pages == sorted(names)


def store_without_regard_to_case(path: Path) -> str:
    """A store whose database orders names as a language does: by letters, then by their case."""
    url = f"sqlite:///{path}"
    Store(url).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'name VARCHAR(200)', "
            "'name VARCHAR(200) COLLATE NOCASE') WHERE name = 'spnb_campaigns'"
        )
        database.commit()
    with closing(sqlite3.connect(path)) as database:  # which reads the schema anew
        said = database.execute("SELECT sql FROM sqlite_master WHERE name = 'spnb_campaigns'")
        assert "COLLATE NOCASE" in said.fetchone()[0]
    return url


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({"name": 5, "arms": ARMS}, 422, "name"),
        ({"name": "x"}, 422, "either"),
        ({"name": "x", "arms": ARMS, "typo": 1}, 422, "typo"),
        ({"name": "x", "arms": ["a", "a"]}, 422, "twice"),
        ({"name": "x", "arms": ARMS, "agent": "Nobody"}, 422, "Nobody"),
        ({"name": "-x", "arms": ARMS}, 422, "printable"),
        ({"name": "x", "arms": ARMS, "agent": "Seq(" * 400}, 422, ""),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_shape(
    local: Service, body: dict[str, Any], status: int, word: str
) -> None:
    with local.http() as http:
        answer = http.post("/v1/campaigns", json=body)
        assert answer.status_code == status
        assert set(answer.json()["error"]) == {"code", "message", "hint"}
        assert word in answer.json()["error"]["message"]
        assert http.get("/v1/campaigns").json()["items"] == []


def test_bodies_are_bounded_and_must_be_json(local: Service) -> None:
    with local.http() as http:
        large = http.post("/v1/campaigns", content=b"[" * (1024 * 1024 + 1), headers=_JSON)
        assert large.status_code == 413
        stream = http.post("/v1/campaigns", content=iter([b"x" * 65536] * 20), headers=_JSON)
        assert stream.status_code == 413
        deep = http.post("/v1/campaigns", content=b"[" * 100_000, headers=_JSON)
        assert deep.status_code == 400
        form = http.post("/v1/campaigns", data={"name": "x"})
        assert form.status_code == 415
        assert http.get("/v1/nowhere").json()["error"]["code"] == "not_found"
        put = http.put("/v1/campaigns")
        assert put.json()["error"]["code"] == "method_not_allowed"
        assert put.headers["allow"] == "GET, HEAD, POST"


_JSON = {"Content-Type": "application/json"}


def test_a_campaign_of_any_form_begins_as_a_new_one(local: Service) -> None:
    client = local.client()
    config = begun(client).config.to_dict()
    for n, form in enumerate((1, FORM, FORM + 1, "6", None)):
        copy = client.create(f"copy {n}", config=config | {"form": form, "patience": 99})
        assert copy.config == client.campaign("c").config


def test_a_store_that_is_away_tells_nobody_where_it_was(
    serve: Callable[[str], Service], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "private"
    folder.mkdir()
    service = serve(f"sqlite:///{folder}/s.db")
    service.app.state.desk.store.close()
    folder.rename(tmp_path / "away")
    with service.http() as http:
        for path in ("/readyz", "/v1/campaigns", "/"):
            answer = http.get(path)
            assert answer.status_code == 503
            assert "private" not in answer.text
            assert "store cannot be used now" in answer.text
    assert "private" in caplog.text


def test_the_head_of_an_answer_may_be_asked_for(local: Service) -> None:
    remote = begun(local.client())
    with local.http() as http:
        for path in ("/healthz", "/readyz", "/metrics", "/", f"/v1/campaigns/{remote.uid}"):
            head, whole = http.head(path), http.get(path)
            assert (head.status_code, head.content) == (200, b"")
            assert head.headers["content-type"] == whole.headers["content-type"]
        assert http.head("/nowhere").status_code == 404
        assert http.head("/v1/rewards").status_code == 405


def test_the_service_says_how_it_is(local: Service) -> None:
    remote = begun(local.client())
    remote.tell(remote.ask("a", 1), reward=1)
    remote.ask("b", 1)
    with local.http() as http:
        assert http.get("/healthz").json() == {"status": "ok"}
        assert http.get("/readyz").json() == {"status": "ready"}
        numbers = http.get("/metrics").text
    for line in ('spnb_asks_total{answer="pull"}', "spnb_pending_rewards 1.0", "spnb_request_sec"):
        assert line in numbers
