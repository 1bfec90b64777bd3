"""Reports as one HTML file that loads nothing: charts, tables, and citations that open at the words."""
