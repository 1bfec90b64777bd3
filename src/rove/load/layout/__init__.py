"""What stands on a printed page, whether a PDF or a scan gave it: from words and rules with their places to text.

`lines` puts words into lines, `columns` into reading order, `grids` and `aligned` find tables, `furniture`, `headings`
and `notes` look across the pages, `canonical` writes it all down with a box for every line.
"""
