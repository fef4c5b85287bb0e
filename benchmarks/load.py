"""Many clients on one machine: what they send, and how often it is answered."""

import asyncio
import json
import time
from collections.abc import Generator
from dataclasses import dataclass
from itertools import count
from statistics import quantiles
from typing import Any

import uvloop

ARMS = [f"{hour:02d}:00" for hour in range(0, 24, 2)]


@dataclass(frozen=True)
class Rate:
    """Pairs of ask and tell (or of commits) a second, and how long one of the two took, in ms."""

    what: str
    pairs: float
    p50: float
    p99: float

    @classmethod
    def of(cls, what: str, pairs: int, seconds: float, taken: list[float]) -> "Rate":
        """So many pairs in so many seconds; ``taken`` are the seconds of each request."""
        cuts = [1000 * cut for cut in quantiles(taken, n=100)]
        found = cls(what, pairs / seconds, cuts[49], cuts[98])
        print(f"{what}: {found.pairs:.0f} pairs/s, p50 {found.p50:.1f} ms, p99 {found.p99:.1f} ms")
        return found


Script = Generator[bytes, Any, int]
"""What a client does: it yields requests, is sent the answers, returns how many pairs it made."""


class Line(asyncio.Protocol):
    """A connection that is kept, with no more of HTTP than is needed here.

    The clients share the machine with the service, so they must cost as little as can be: the next
    request goes out from where the answer came in.
    """

    def __init__(self, script: Script) -> None:
        self._script, self._read = script, b""
        self.seconds: list[float] = []
        self.pairs = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._out = transport
        self._begun = time.perf_counter()
        self._out.write(next(self._script))

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, found, body = self._read.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().split(b"content-length: ")[1].split(b"\r")[0]):
            return
        now = time.perf_counter()
        self.seconds.append(now - self._begun)
        self._read, self._begun = b"", now
        try:
            assert head.startswith(b"HTTP/1.1 200 "), body
            self._out.write(self._script.send(json.loads(body)))
        except StopIteration as end:
            self._out.close()
            self.pairs.set_result(end.value)
        except AssertionError as error:
            self.pairs.set_exception(error)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.pairs.done():
            self.pairs.set_exception(error or ConnectionError("the service hung up"))


def post(path: str, body: Any) -> bytes:
    """A request."""
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def day_after_day(campaign: str, first: int, seconds: float) -> Script:
    """Ask and tell, one after the other."""
    path, until = f"/v1/campaigns/{campaign}", time.perf_counter() + seconds
    pairs, offers = 0, ((round_, arm) for round_ in count(first) for arm in ARMS)
    while time.perf_counter() < until:
        round_, arm = next(offers)
        asked = yield post(f"{path}/decisions", {"arm": arm, "round": round_})
        yield post(f"{path}/rewards", {"decision": asked["uid"], "reward": 1})
        pairs += 1
    return pairs


def all_at_once(campaigns: list[str], first: int, seconds: float) -> Script:
    """Ask and tell where each request is about all campaigns."""
    until = time.perf_counter() + seconds
    pairs, offers = 0, ((round_, arm) for round_ in count(first) for arm in ARMS)
    while time.perf_counter() < until:
        round_, arm = next(offers)
        asks = [{"campaign": each, "arm": arm, "round": round_} for each in campaigns]
        asked = yield post("/v1/decisions", {"items": asks})
        told = [{"decision": item["decision"]["uid"], "reward": 1} for item in asked["items"]]
        yield post("/v1/rewards", {"items": told})
        pairs += len(campaigns)
    return pairs


def rate(what: str, urls: list[str], scripts: list[Script]) -> Rate:
    """Pairs of ask and tell a second, by as many clients as there are scripts."""
    places = [url.removeprefix("http://").split(":") for url in urls]
    taken: list[float] = []

    async def one(number: int, script: Script) -> int:
        host, port = places[number % len(places)]
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(lambda: Line(script), host, int(port))
        pairs: int = await line.pairs
        taken.extend(line.seconds)
        return pairs

    async def all_of_them() -> int:
        return sum(await asyncio.gather(*(one(n, each) for n, each in enumerate(scripts))))

    begun_at = time.perf_counter()
    pairs = uvloop.run(all_of_them())
    return Rate.of(what, pairs, time.perf_counter() - begun_at, taken)
