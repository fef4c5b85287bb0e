"""Beyond the paper: what each new capability is worth, where it helps and where it does not."""
