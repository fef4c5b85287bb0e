"""The service: campaigns over HTTP, for programs (``/v1``) and for people (a dashboard)."""
