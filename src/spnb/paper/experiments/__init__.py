"""The paper's experiments as recipes, and its claims as functions of what came out."""
