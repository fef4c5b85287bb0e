"""Beyond the paper: the evidence for each capability, where it should help and where not."""
