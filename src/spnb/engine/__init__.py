"""How it is run: an agent plays every run of a world to its end."""
