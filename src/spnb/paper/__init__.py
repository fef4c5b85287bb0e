"""The paper, reproduced: recipes, claims, figures and the report."""
