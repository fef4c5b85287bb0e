"""What decides: policies, agents, and the specs that name them."""
