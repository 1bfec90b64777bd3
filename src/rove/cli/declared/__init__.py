"""What each command takes and its help, known without importing what it runs: see `rove.cli.command`."""
