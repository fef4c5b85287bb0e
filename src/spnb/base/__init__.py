"""What every room stands on: errors, checks of parameters, whole files."""
