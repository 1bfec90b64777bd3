"""The way in, from what was given to what is live: read → load → chunk → enrich → keep, batch by batch."""
