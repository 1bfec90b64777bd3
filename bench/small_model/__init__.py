"""What Rove does with a real chat model that is small: answers, SQL, tools, walks and summaries, in five languages."""
