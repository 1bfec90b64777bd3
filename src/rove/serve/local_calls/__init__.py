"""The command line of this machine, answered by a server that has the base open already: `rove search`, `rove ask`."""
