"""A plan written as a TOML file, of what ships with citehop alone."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from citehop.errors import InputError
from citehop.plan.compress import CharBudgetCompressor
from citehop.plan.fusion import FusionPolicy
from citehop.plan.nearest import QuerySentenceCompressor
from citehop.plan.plan import RetrievalExecutionPlan
from citehop.plan.queries import FixedQueries
from citehop.plan.rerank import CitationReranker
from citehop.plan.stages import StageBudget

_PLAIN = (
    "keep_original",
    "max_queries",
    "rerank_depth",
    "top_k",
    "deadline_seconds",
    "on_error",
)
_TABLES = ("retrieval", "transform", "fusion", "rerank", "compress", "budgets")
_TRANSFORMS: Mapping[str, Callable[..., Any]] = {"queries": FixedQueries}
_RERANKERS: Mapping[str, Callable[..., Any]] = {"citations": CitationReranker}
_COMPRESSORS: Mapping[str, Callable[..., Any]] = {
    "characters": CharBudgetCompressor,
    "sentences": QuerySentenceCompressor,
}


def load_plan(path: str | Path) -> RetrievalExecutionPlan:
    """Read a plan from a TOML file.

    Top-level keys are the plan's fields ``keep_original``, ``max_queries``, ``rerank_depth``,
    ``top_k``, ``deadline_seconds`` and ``on_error``. The tables:

    - ``[retrieval]``: the fields of the index's configuration;
    - ``[transform]``: ``use = "queries"``, and ``queries``, texts in which ``{query}`` stands for
      what is asked;
    - ``[fusion]``: the fields of FusionPolicy;
    - ``[rerank]``: ``use = "citations"``, and the fields of CitationReranker;
    - ``[compress]``: ``use = "characters"`` or ``"sentences"``, and the fields of that compressor;
    - ``[budgets.retrieve]``: the fields of StageBudget.

    The plan's ``retrieval`` is the table as a mapping, or None: its values are checked by whoever
    turns it into the configuration of an index, as a plan knows no index's.

    Raises:
        InputError: If the file cannot be read, is no TOML, has an unknown key, or a value is of the
            wrong type or out of range.
    """
    name = str(path)
    tables = _read(name, Path(path))
    _refuse_unknown(name, "the file", tables, (*_PLAIN, *_TABLES))
    for key in _TABLES:
        if not isinstance(tables.get(key, {}), dict):
            _refuse(name, f"{key} must be a table such as [{key}]")
    fields: dict[str, Any] = {key: tables[key] for key in _PLAIN if key in tables}
    if "retrieval" in tables:
        fields["retrieval"] = dict(tables["retrieval"])
    if "fusion" in tables:
        fields["fusion"] = _made(name, "fusion", FusionPolicy, tables["fusion"])
    for key, kinds in (
        ("transform", _TRANSFORMS),
        ("rerank", _RERANKERS),
        ("compress", _COMPRESSORS),
    ):
        if key in tables:
            fields[key] = _component(name, key, kinds, tables[key])
    fields["budgets"] = _budgets(name, tables.get("budgets", {}))
    try:
        return RetrievalExecutionPlan(**fields)
    except (TypeError, ValueError) as error:
        _refuse(name, str(error))


def _read(name: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        _refuse(name, f"cannot be read: {error.strerror}; expected a plan as TOML")
    except UnicodeDecodeError as error:
        _refuse(name, f"byte {error.start} is no UTF-8; save the plan as UTF-8")
    except tomllib.TOMLDecodeError as error:
        _refuse(name, f"is no TOML: {error}")


def _component(
    name: str, key: str, kinds: Mapping[str, Callable[..., Any]], table: dict[str, Any]
) -> Any:
    use = table.get("use")
    if not isinstance(use, str) or use not in kinds:
        names = " or ".join(f'"{kind}"' for kind in kinds)
        _refuse(name, f"{key}.use must be {names}, not {use!r}")
    rest = {field: value for field, value in table.items() if field != "use"}
    return _made(name, key, kinds[use], rest)


def _budgets(name: str, table: dict[str, Any]) -> dict[str, StageBudget]:
    for stage, fields in table.items():
        if not isinstance(fields, dict):
            _refuse(name, f"budgets.{stage} must be a table such as [budgets.{stage}]")
    return {
        stage: _made(name, f"budgets.{stage}", StageBudget, fields)
        for stage, fields in table.items()
    }


def _made(name: str, where: str, kind: Any, fields: dict[str, Any]) -> Any:
    known = tuple(kind.__dataclass_fields__)
    _refuse_unknown(name, f"[{where}]", fields, known)
    try:
        return kind(**fields)
    except (TypeError, ValueError) as error:
        missing = [key for key in known if f"'{key}'" in str(error) and key not in fields]
        what = f"{missing[0]} is missing" if missing else str(error)
        _refuse(name, f"[{where}] {what}")


def _refuse_unknown(
    name: str, where: str, table: Mapping[str, Any], known: tuple[str, ...]
) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        _refuse(name, f"{where} has unknown keys {unknown}; it may hold {', '.join(known)}")


def _refuse(name: str, message: str) -> NoReturn:
    raise InputError(message, file=name) from None
