"""References: places that a text or a question names ("§ 3", "Annex B", "page 11"), and where the base has them."""
