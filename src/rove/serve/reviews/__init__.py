"""Expert review over HTTP: what waits for the caller, and what was decided."""
