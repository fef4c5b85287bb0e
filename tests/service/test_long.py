"""What takes minutes: waited for as long as it takes, and in nobody's way."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from service.conftest import Service
from spnb.client import RemoteCampaign, transport
from spnb.live.campaign import Campaign, Verdict

_MANY = 12  # more than the service has threads for readers


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[str]]]:
    """Verifications end when they are let go; those begun are noted."""
    let_go, begun, verify = threading.Event(), list[str](), Campaign.verify

    def slow(self: Campaign, progress: None = None) -> Verdict:
        begun.append(self.name)
        assert let_go.wait(30)
        return verify(self)

    monkeypatch.setattr(Campaign, "verify", slow)
    yield let_go, begun
    let_go.set()


def begun(service: Service) -> RemoteCampaign:
    return service.client().create("c", arms=["a", "b"], agent="Uniform+")


def test_who_verifies_keeps_nobody_from_looking(
    local: Service, held: tuple[threading.Event, list[str]]
) -> None:
    let_go, seen = held
    remote = begun(local)
    with ThreadPoolExecutor(_MANY) as pool:
        verdicts = [pool.submit(remote.verify) for _ in range(_MANY)]
        try:
            while len(seen) < 2:
                time.sleep(0.01)
            assert remote.status().round == 0
            assert remote.ask("a", 1).pull
        finally:
            let_go.set()
        assert all(each.result().ok for each in verdicts)


def test_a_late_verdict_is_waited_for_and_asked_for_once(
    local: Service,
    held: tuple[threading.Event, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    let_go, seen = held
    monkeypatch.setattr(transport, "_TIMEOUT", httpx.Timeout(0.3))
    remote = begun(local)
    with ThreadPoolExecutor(1) as pool:
        verdict = pool.submit(remote.verify)
        threading.Timer(1.0, let_go.set).start()
        assert verdict.result().ok
    assert seen == ["c"]
