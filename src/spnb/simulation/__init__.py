"""Many runs: simulate, identify, what is measured and what was found."""
