"""A real service on a real port, in a thread of the test."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from live.conftest import postgres, shared_url
from spnb.client import Client
from spnb.live.store import Store
from spnb.live.store.tokens import new_token
from spnb.service.app import create_app

__all__ = ["postgres", "shared_url"]


@dataclass
class Service:
    """A running service, and ways to use it."""

    url: str
    store: str
    app: Any
    clients: list[Client] = field(default_factory=list)

    def client(self, token: str | None = None) -> Client:
        self.clients.append(Client(self.url, token))
        return self.clients[-1]

    def http(self, token: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)

    def token(self, scope: str = "admin", owner: str = "", **given: Any) -> str:
        with Store(self.store, owner=owner) as store:
            text, _ = new_token(store, f"a {scope}", scope, **given)
        return text


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Running:
    """Uvicorn in a thread."""

    def __init__(self, store: str) -> None:
        self.app, port = create_app(store), free_port()
        config = uvicorn.Config(self.app, port=port, log_level="error", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)
        self.service = Service(f"http://127.0.0.1:{port}", store, self.app)

    def stop(self) -> None:
        for client in self.service.clients:
            client.close()
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Service]]:
    """Start services on stores of any kind; tests look for alerts themselves."""
    monkeypatch.setattr("spnb.service.alerts.PERIOD", 3600.0)
    running: list[Running] = []

    def start(store: str) -> Service:
        running.append(Running(store))
        return running[-1].service

    yield start
    for each in running:
        each.stop()


@pytest.fixture
def service(serve: Callable[[str], Service], shared_url: str) -> Service:
    """A service on each kind of store."""
    return serve(shared_url)


@pytest.fixture
def local(serve: Callable[[str], Service], tmp_path: Path) -> Service:
    """A service on a file, where the database does not matter."""
    return serve(f"sqlite:///{tmp_path}/service.db")
