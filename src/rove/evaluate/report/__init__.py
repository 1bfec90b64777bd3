"""The report of a sweep: one HTML file that needs nothing else, with plots that are drawn here as SVG."""
