"""What was asked, understood: standing by itself, with its topics, its kind and what it leaves open."""
