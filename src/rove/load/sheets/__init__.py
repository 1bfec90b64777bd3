"""Spreadsheets and tables like them: cells by place, the tables among them, numbers as a person sees them."""
