"""The command line as a module: `python -m rove`."""

from rove.cli import main

if __name__ == "__main__":
    main()
