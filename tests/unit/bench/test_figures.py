from bench.figures import FIGURES, Figure, p50_ms, table


def a_figure(*, better: str = "more") -> Figure:
    return Figure(key="k", title="t", unit="u", better="more" if better == "more" else "less")


def test_a_ratio_above_one_means_that_ours_is_better() -> None:
    assert a_figure(better="more").ratio(300, 100) == 3
    assert a_figure(better="less").ratio(10, 40) == 4


def test_the_median_leaves_out_the_first_run() -> None:
    ticks = iter([0.0, 1.0, 10.0, 13.0, 20.0, 22.0])  # three runs of 1, 3 and 2 seconds, after one not counted
    runs: list[None] = []
    assert p50_ms(lambda: runs.append(None), clock=lambda: next(ticks), repeats=3) == 2000
    assert len(runs) == 4


def test_a_figure_that_a_peer_lacks_is_a_dash() -> None:
    figure = FIGURES[0]
    lines = table({figure.key: 600.0}, {"Slurm": {figure.key: 200.0}, "Other": {}})
    assert lines[0].split()[-5:] == ["XCE", "Slurm", "ratio", "Other", "ratio"]
    assert lines[1].split()[-5:] == ["600", "200", "3.00", "-", "-"]
    assert len(lines) == 1 + len(FIGURES)
