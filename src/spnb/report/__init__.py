"""Results as tables and figures; nothing here simulates."""
