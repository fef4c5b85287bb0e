"""One run in the real world: learner, campaigns, stores, schedules."""
