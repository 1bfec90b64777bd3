"""Stage 7 of 7: hits → an answer whose every sentence is tied to exact words of a source, or the fixed refusal."""
