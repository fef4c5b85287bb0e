"""Microseconds per pull: spnb beside other libraries and beside a loop in C."""
