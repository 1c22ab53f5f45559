"""``python -m citehop`` is the command ``citehop``."""

from citehop.cli import main

if __name__ == "__main__":
    main()
