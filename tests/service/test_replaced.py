"""A running service's file is replaced by a backup: what it answers for is in the new file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from live.test_replaced_files import backed_up, put_in_place
from service.conftest import Service
from spnb.base.errors import MissingError


def test_what_is_answered_after_a_backup_was_put_in_place_is_there_after_a_restart(
    serve: Callable[[str], Service], tmp_path: Path
) -> None:
    path = tmp_path / "service.db"
    running = serve(f"sqlite:///{path}").client()
    campaign = running.create("c", arms=["a", "b"], agent="Uniform+", seed=1)
    kept = campaign.ask("a", 1)
    copy = backed_up(path)
    running.create("later", arms=["x"])
    put_in_place(copy, path)
    campaign.tell(kept, reward=1)
    answered = campaign.ask("b", 1)
    with pytest.raises(MissingError):
        running.campaign("later")
    again = serve(f"sqlite:///{path}").client().campaign("c")
    assert [event.kind for event in again.events()] == ["create", "ask", "tell", "ask"]
    assert again.ask("b", 1) == answered
    assert again.verify().ok


def test_a_service_whose_file_is_gone_says_so(
    local: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "service.db"
    campaign = local.client().create("c", arms=["a"], agent="Uniform+")
    away = path.rename(tmp_path / "away.db")
    with local.http() as http:
        body = {"arm": "a", "round": 1}
        answer = http.post(f"/v1/campaigns/{campaign.uid}/decisions", json=body)
        assert answer.status_code == 503
        assert "the file is no longer there; put it back" in caplog.text
        assert http.get("/readyz").status_code == 503
    away.rename(path)
    assert campaign.ask("a", 1).pull
