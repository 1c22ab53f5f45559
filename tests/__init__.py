"""The tests; a package so that they can share the code that finds and starts servers."""
