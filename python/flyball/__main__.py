"""The `flyball` command: `flyball …` and `python -m flyball …`."""

import sys

from flyball._flyball import command


def main() -> int:
    if sys.argv[1:2] == ["cluster"]:
        from flyball import cluster

        return cluster.main(sys.argv[2:])
    return command(["flyball", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
