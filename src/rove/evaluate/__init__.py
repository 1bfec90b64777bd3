"""The lab: how well a configuration finds and answers, and which of many does it best."""
