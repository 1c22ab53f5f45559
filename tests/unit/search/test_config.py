from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from citehop import RetrievalConfig


def test_the_defaults_are_the_specified_ones() -> None:
    """Ten lexical hits, two hops, weights of a half, three tenths and two tenths, fifty hits."""
    config = RetrievalConfig()

    assert (config.top_k_lexical, config.max_hops, config.top_k) == (10, 2, 50)
    assert (config.w_bm25, config.w_graph, config.w_recency) == (0.5, 0.3, 0.2)
    assert (config.scoring, config.n_seeds, config.direction) == ("hops", None, "both")
    assert config.timeout_seconds == 5.0


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"top_k_lexical": 0}, "top_k_lexical must be from 1 to 1000, not 0"),
        ({"max_hops": 5}, "max_hops must be from 0 to 4, not 5"),
        ({"max_hops": -1}, "max_hops must be from 0 to 4, not -1"),
        ({"w_bm25": -0.1}, "w_bm25 must be finite and at least 0, not -0.1"),
        ({"w_graph": math.nan}, "w_graph must be finite and at least 0, not nan"),
        ({"w_recency": math.inf}, "w_recency must be finite and at least 0, not inf"),
        ({"w_bm25": 10**400}, "w_bm25 must be finite and at least 0"),
        ({"timeout_seconds": 10**400}, "timeout_seconds must be above 0"),
        ({"w_bm25": 0, "w_graph": 0, "w_recency": 0}, "must not all be 0"),
        ({"w_bm25": 1e308, "w_graph": 1e308}, "must have a finite sum"),
        ({"scoring": "magic"}, "scoring must be one of hops"),
        ({"n_seeds": 0}, "n_seeds must be from 1 to 1000, not 0"),
        ({"top_k": 0}, "top_k must be from 1 to 100000, not 0"),
        ({"direction": "up"}, "direction must be one of both, references, citations, not 'up'"),
        ({"timeout_seconds": 0}, "timeout_seconds must be above 0 and at most 3600 seconds, not 0"),
        ({"limit": 0}, "limit must be from 1 to 100000, not 0"),
    ],
)
def test_a_value_out_of_range_is_refused(fields: dict[str, Any], message: str) -> None:
    """The message names the field, the range and the value."""
    with pytest.raises(ValueError, match=message):
        RetrievalConfig(**fields)


@pytest.mark.parametrize(
    "fields",
    [{"top_k_lexical": 1.5}, {"max_hops": True}, {"w_bm25": "1"}, {"external": 1}, {"top_k": "5"}],
)
def test_a_value_of_the_wrong_type_is_refused(fields: dict[str, Any]) -> None:
    """A bool is no number here, and text is none either."""
    with pytest.raises(TypeError):
        RetrievalConfig(**fields)


def test_a_config_cannot_be_changed() -> None:
    """The record is frozen; `dataclasses.replace` gives a new, checked one."""
    config = RetrievalConfig()

    with pytest.raises(dataclasses.FrozenInstanceError):
        config.max_hops = 1  # type: ignore[misc]
    assert dataclasses.replace(config, max_hops=1).max_hops == 1
