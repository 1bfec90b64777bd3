"""A small company's tables, and questions with the rows that answer them: the same in each kind of database."""

from __future__ import annotations

MADE = """
CREATE TABLE results (year INTEGER, revenue NUMERIC, profit NUMERIC);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40));
CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), amount NUMERIC, issued DATE, paid BOOLEAN);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), placed DATE);
INSERT INTO results VALUES (2021, 410.5, 31), (2022, 455, 38.5), (2023, 502.25, 29.75);
INSERT INTO customers VALUES (1, 'Anna Kiss', 'Szeged'), (2, 'Bob Stone', 'London'), (3, 'Li Wei', 'Wuhan');
INSERT INTO invoices VALUES (1, 1, 100, '2023-01-05', TRUE), (2, 1, 250, '2023-03-01', FALSE), (3, 2, 80, '2022-12-12', NULL);
INSERT INTO orders VALUES (1, 1, '2023-01-02'), (2, 1, '2023-02-14'), (3, 2, '2022-05-05');
"""  # noqa: E501
ASKED = [
    ("What was the revenue in 2023?", [("502.25",)]),
    ("How much profit was made in 2022?", [("38.5",)]),
    ("How many invoices are not paid?", [("2",)]),
    ("How many invoices are paid?", [("1",)]),
    ("How many invoices are unpaid?", [("2",)]),
    ("Customers who have no orders", [("3", "Li Wei", "Wuhan")]),
    ("Customers without invoices", [("3", "Li Wei", "Wuhan")]),
    ("Which customer has the most orders?", [("1", "Anna Kiss")]),
    ("How many invoices were issued in 2023?", [("2",)]),
    ("How many invoices were issued before 2023?", [("1",)]),
    ("How many invoices were issued in March 2023?", [("1",)]),
    ("How many orders did Anna Kiss place?", [("2",)]),
    ("How many customers have orders?", [("2",)]),
    ("Was war der revenue zwischen 2021 und 2022?", [("410.5",), ("455",)]),
]
