"""The cluster under crashes, loss, delay and duplication, from seeds. A failing seed is printed with its story;
repeat it with `pytest tests/sim --sim-seed N`, and add it to seeds.txt."""

from pathlib import Path

import pytest

from xceserver.sim.story import tell

SEEDS = 200
KNOWN = Path(__file__).with_name("seeds.txt")


def known_seeds() -> list[int]:
    lines = KNOWN.read_text(encoding="utf-8").splitlines()
    return [int(line.split()[0]) for line in lines if line and not line.startswith("#")]


def seeds() -> list[int]:
    return list(dict.fromkeys([*known_seeds(), *range(SEEDS)]))


@pytest.mark.parametrize("first", range(0, SEEDS, 20))
def test_every_story_ends_well(first: int) -> None:
    for seed in seeds()[first : first + 20]:
        assert tell(seed, steps=150)


def test_the_known_seeds_end_well_at_their_full_length() -> None:
    for seed in known_seeds():
        assert tell(seed, steps=400)


def test_the_simulator_is_deterministic() -> None:
    assert tell(7, steps=200) == tell(7, steps=200)
