"""Files and providers, read into papers."""
