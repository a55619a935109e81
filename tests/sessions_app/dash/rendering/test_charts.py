from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.dash.rendering.charts import (
    Column,
    bar_chart,
    running_mean,
    series_names,
    sparkline,
    top_of,
)


def draw(*columns: Column, **options: object) -> ElementTree.Element:
    options = {"name": "spend", "label": "Cost by day", **options}
    svg = bar_chart(columns, **options)  # type: ignore[arg-type]
    return ElementTree.fromstring(svg)  # noqa: S314 (ours)


@given(st.integers(1, 10**15))
def test_the_grid_ends_just_above_the_highest_bar(most):
    top = top_of(most)

    assert most <= top <= max(4, 2.6 * most)


def test_a_bar_is_as_high_as_its_share_and_says_its_numbers():
    chart = draw(Column("1 Nov", "1 Nov", [3_000_000_000, 1_000_000_000]))

    bars = [rect for rect in chart.iter("rect") if "series" in rect.get("class", "")]
    heights = [float(rect.get("height", 0)) for rect in bars]
    assert heights[0] == pytest.approx(3 * (heights[1] + 1.5) - 1.5, abs=0.3)
    assert chart.find("g/title").text == "1 Nov: $4.00"
    assert chart.get("role") == "img"
    assert chart.get("aria-label") == "Cost by day"


def test_a_day_without_spend_keeps_a_stub():
    chart = draw(Column("1 Nov", "", [0, 0]), Column("2 Nov", "", [5, 0]))

    stubs = [rect for rect in chart.iter("rect") if rect.get("class") == "stub"]
    assert len(stubs) == 1


def test_what_is_beyond_five_series_is_hatched():
    assert series_names(3) == ["1", "2", "3"]
    assert series_names(6) == ["1", "2", "3", "4", "5", "others"]
    chart = draw(Column("1 Nov", "", [1, 1, 1, 1, 1, 4]))

    rest = [rect for rect in chart.iter("rect") if rect.get("class") == "rest"]
    assert [rect.get("fill") for rect in rest] == ["url(#spend-hatch)"]


def test_labels_and_names_are_escaped():
    svg = bar_chart(
        [Column("<script>alert(1)</script>", "<b>", [1])], name="x", label='"><script>'
    )

    assert "<script>" not in svg
    assert "<b>" not in svg


def test_nothing_is_styled_inline():
    svg = bar_chart([Column("a", "a", [1] * 6)], name="x", label="x", mean=[7])

    assert "style=" not in svg


def test_the_mean_is_of_as_many_days_as_there_are():
    assert running_mean([7, 0, 14], days=7) == [7, 3, 7]
    assert running_mean([1, 2, 3, 4], days=2) == [1, 1, 2, 3]
    assert running_mean([]) == []


def test_a_sparkline_ends_with_a_point():
    line = sparkline([0, 4, 2])

    (drawn,) = re.findall(r'points="([^"]+)"', line)
    points = drawn.split()
    assert len(points) == 3
    assert points[1].endswith(",3.0")
    assert f'cx="{points[2].split(",")[0]}"' in line
    assert sparkline([0, 0]) == ""
