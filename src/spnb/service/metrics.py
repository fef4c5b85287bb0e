"""What the service counts, for Prometheus."""

import os

from prometheus_client import (
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # where several workers put their numbers together


class Metrics:
    """Counters of this process."""

    def __init__(self) -> None:
        self.asks = Counter("spnb_asks", "Asks that were answered", ["answer"])
        self.tells = Counter("spnb_tells", "Rewards told, corrected, given up", ["kind"])
        self.conflicts = Counter("spnb_conflicts", "Requests refused with 409")
        self.seconds = Histogram(
            "spnb_request_seconds",
            "How long requests took",
            ["route", "method", "status"],
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60),
        )
        self.pending = Gauge(
            "spnb_pending_rewards", "Pulls still without a reward", multiprocess_mode="mostrecent"
        )

    def text(self) -> bytes:
        """All numbers, in Prometheus' own form."""
        if SHARED_FOLDER not in os.environ:
            return generate_latest(REGISTRY)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no types
        return generate_latest(registry)


metrics = Metrics()
