"""A worked case: annual reports read into figures and ratios, and questions answered in layers."""
