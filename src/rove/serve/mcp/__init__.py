"""The Model Context Protocol: bases as tools and resources."""
