# SPDX-License-Identifier: Apache-2.0
"""Checks arguments against the annotations of the function called: one place, one wording, the same on all ranks."""

from __future__ import annotations

import functools
import inspect
import json
import numbers
import operator
import os
import reprlib
from typing import Any, Callable, TypeVar, cast

import numpy as np

from . import _core, errors
from .progress import is_bar

__all__ = ["converted", "is_matrix", "json_text", "one_of", "refuse_masked", "shown", "type_name", "vertex_id"]

F = TypeVar("F", bound=Callable[..., Any])


def converted(f: F, refused: Callable[[dict[str, Any]], None] = lambda given: None) -> F:
    """f, called with what its annotations say, or else a TypeError that names argument, value, and what is taken.

    numpy's scalars become Python's, and what Graph() takes a Graph. Annotations that are not in the table are f's own
    matter. `refused` is called with the arguments while the error is at hand. What is collective wants `checked` of
    atoll.collective_arguments.
    """
    parameters = list(inspect.signature(f).parameters.values())
    names = [p.name for p in parameters]
    checks = {p.name: check for p in parameters if (check := _check_of(p))}
    vertices = {p.name for p in parameters if str(p.annotation) == _VERTEX}
    optional = {p.name for p in parameters if str(p.annotation) == f"{_VERTEX} | None"}

    graphs = [(k, str(p.annotation)) for k, p in enumerate(parameters) if str(p.annotation) in _GRAPHS]
    or_matrix = [k for k, _ in graphs if str(parameters[k].annotation) == _GRAPH_OR_MATRIX]
    takes_any = any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters)

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        for k, annotation in graphs:  # before all else: the other arguments are checked on its ranks
            if k in or_matrix and is_matrix(args[k] if k < len(args) else kwargs.get(names[k])):
                continue
            kind = _graph_class(f, annotation)
            if k < len(args):
                args = *args[:k], _graph(kind, names[k], args[k]), *args[k + 1 :]
            elif names[k] in kwargs:
                kwargs[names[k]] = _graph(kind, names[k], kwargs[names[k]])
        try:
            if not takes_any and (unknown := next((name for name in kwargs if name not in names), None)):
                raise TypeError(_no_argument(f.__name__, unknown, names))
            taken = [checks[name](value) if name in checks else value for name, value in zip(names, args)]
            named = {name: checks[name](value) if name in checks else value for name, value in kwargs.items()}
            if vertices or optional:
                graph = named.get("graph", taken[0] if taken else None)

                def by_id(name: str, value: Any) -> Any:
                    wanted = name in vertices or (name in optional and value is not None)
                    return vertex_id(name, value, graph) if wanted else value

                taken = [by_id(name, value) for name, value in zip(names, taken)]
                named = {name: by_id(name, value) for name, value in named.items()}
        except (TypeError, errors.InputError):
            refused({**dict(zip(names, args)), **kwargs})
            raise
        return f(*taken, *args[len(names) :], **named)

    return cast(F, call)


# Names that other packages have for arguments: those of Atoll which may be meant, or a call.
_OTHER_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "colors": ("color",),
    "cutoff": ("radius", "limit"),
    "damping": ("alpha",),
    "destination": ("target",),
    "distance": ("weight",),
    "dst": ("target",),
    "edge_attr": ("weight", "edge_attributes"),
    "from_": ("source",),
    "layout": ("place",),
    "max_iter": ("iterations",),
    "max_iterations": ("max_iter", "iterations"),
    "mode": ("direction",),
    "n": ("count",),
    "node": ("vertex",),
    "node_color": ("color",),
    "node_size": ("size",),
    "nodes": ("vertices",),
    "num_nodes": ("vertices",),
    "num_walks": ("walks",),
    "pos": ("place",),
    "src": ("source",),
    "to": ("target",),
    "tolerance": ("tol",),
    "v": ("vertex",),
    "vertex_color": ("color",),
    "vertex_label": ("labels",),
    "vertex_size": ("size",),
    "walk_length": ("length",),
    "weights": ("weight",),
    "with_labels": ("labels",),
}
_REMEDIES = {
    "backend": "This is the backend: leave it out.",
    "create_using": "For the kind of graph say directed=.",
    "normalized": "Its values are normalised as its page says; scale them by numpy.",
    "random_state": "It draws nothing at random: leave it out.",
    "seed": "It draws nothing at random: leave it out.",
}


def _no_argument(function: str, name: str, names: list[str]) -> str:
    """Returns the error for an argument that a function does not have."""
    meant = next((other for other in _OTHER_ARGUMENTS.get(name, ()) if other in names), None)
    has = [other for other in names if other not in ("self", "cls")]
    remedy = f" Is it {meant}?" if meant is not None else f" {_REMEDIES[name]}" if name in _REMEDIES else ""
    return f"{function}() has no argument {name!r} (it has {', '.join(has)}).{remedy}"


def shown(value: Any) -> str:
    """A value in an error: on one line, cut where it is long."""
    return " ".join(reprlib.repr(value).split())


def vertex_id(name: str, value: object, graph: Any = None) -> int:
    """The original id that a user gives as the argument `name`; a name does where the vertices of `graph` have some."""
    names = getattr(graph, "_names", None)
    if names is not None and (isinstance(value, str) or not isinstance(names, _core.Names)):
        return graph._find(name, value)
    try:
        number = _whole(value)
    except TypeError:
        raise TypeError(
            f"{name} is {shown(value)}, a {type(value).__qualname__} (an original id is an int). Use int({name})."
        ) from None
    if not 0 <= number <= _core.MAX_ID:
        raise errors.InputError(f"{name} is {number} ({_core.ID_RULE}). Give the id of a vertex.")
    if names is not None and number >= graph.n:
        raise errors.InputError(
            f"{name} is {number} (the {graph.n} vertices of this graph have names). Give the name of a vertex."
        )
    return number


def one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    """A choice that a user gives as the argument `name`."""
    if not isinstance(value, str) or value not in known:
        raise errors.UsageError(f"{name} is {shown(value)} (there are {', '.join(map(repr, known))}). Choose one.")


def type_name(name: str, value: Any, known: tuple[str, ...]) -> str | None:
    """The name of a dtype that a user gives as the argument `name`; one of those known."""
    if value is None:
        return None
    try:
        given = np.dtype(value).name
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {shown(value)} (there are {', '.join(known)}). Choose one, or None.") from None
    if given not in known:
        raise errors.UsageError(f"{name} is {given} (there are {', '.join(known)}). Choose one, or None.")
    return given


def json_text(name: str, value: dict[str, Any]) -> str:
    try:
        return json.dumps(value, default=_plain)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{name} is {shown(value)} ({e}). Give values that JSON has.") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__qualname__} is no value of JSON")


def refuse_masked(name: str, values: Any) -> None:
    """To numpy a masked array is one like any other, and its mask is lost without a word."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array (its mask would be lost). Use {name}.compressed(), or {name}.filled(value)."
        )


def _whole(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError
    return operator.index(value)


def _int(value: Any) -> int:
    number = _whole(value)
    if not -(2**31) <= number < 2**31:
        raise TypeError
    return number


def _column(value: Any) -> str | int:
    return value if isinstance(value, str) else _whole(value)


def is_matrix(value: Any) -> bool:
    """Whether it is a square of numpy."""
    return isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[0] == value.shape[1]


def _float(value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError
    return float(value)


def _number(value: Any) -> int | float:
    """A whole number stays one: float64 does not hold every int64."""
    if isinstance(value, numbers.Integral):
        return _whole(value)
    return _float(value)


def _bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def _bool_or_name(value: Any) -> bool | str:
    return value if isinstance(value, str) else _bool(value)


def _path(value: Any) -> str:
    text = os.fspath(value)
    if not isinstance(text, str) or "\0" in text:
        raise TypeError
    return text


def _is(*types: type) -> Callable[[Any], Any]:
    def same(value: Any) -> Any:
        if not isinstance(value, types):
            raise TypeError
        return value

    return same


def _ids(value: Any) -> Any:
    if isinstance(value, (str, bytes)):
        raise TypeError
    iter(value)
    return value


def _function(value: Any) -> Any:
    if not callable(value):
        raise TypeError
    return value


def _graph_class(f: Any, annotation: str) -> Any:
    """The class Graph, which is above this module, as the module of f has it: itself, or named by GraphLike."""
    kind = f.__globals__[annotation.split(" | ")[0]]
    return getattr(kind, "__metadata__", (kind,))[0]


def _graph(kind: Any, name: str, value: Any) -> Any:
    """The value if it is a Graph, else a graph made of it, as Graph() makes it without options. Collective then."""
    if isinstance(value, kind):
        return value
    try:
        return kind(value)
    except TypeError as e:
        raise TypeError(f"{name}: {e}") from None


def _seed(value: Any) -> int:
    number = _whole(value)
    if number < 0:
        raise TypeError
    return number


def _listener(value: Any) -> Any:
    if not (value is None or isinstance(value, bool) or callable(value) or is_bar(value)):
        raise TypeError
    return value


_GRAPH_OR_MATRIX = "GraphLike | np.ndarray"
_GRAPHS = ("Graph", "GraphLike", _GRAPH_OR_MATRIX)

# A vertex of the argument `graph`.
_VERTEX = "int | str"

_Rule = tuple[Callable[[Any], Any], str, str]

# By annotation: what takes it or raises, what is needed, what to do.
_RULES: dict[str, _Rule] = {
    "bool": (_bool, "True or False is needed", "Give one of them"),
    "bool | str": (_bool_or_name, "True, or the name of an attribute of edges, is needed", "Give one of them"),
    "int": (_int, "a whole number of 32 bits is needed", "Give one"),
    "float": (_float, "a number is needed", "Give one"),
    "float | int": (_number, "a number is needed", "Give one"),
    "str | os.PathLike[str]": (_path, "a path is needed: a str or an os.PathLike", "Give one"),
    "str | int": (_column, "a column's number or name is needed", "Give one"),
    "dict[str, Any]": (_is(dict), "a dict is needed", "Give one"),
    "Iterable[int | str]": (_ids, "original ids are needed", "Give a list or an array of them"),
    "Callable[[World], T]": (_function, "a function is needed", "Give one that is called with a World"),
    "World": (_is(_core.World), "an atoll.World is needed", "Take that of a graph"),
}
_TEXT: _Rule = (_is(str), "a str is needed", "Give one")
# By name, where the annotation says less: a str is most often one of a few (one_of).
_NAMED: dict[str, _Rule] = {
    "seed": (_seed, "a whole number from 0 on is needed", "Give one"),
    "format": _TEXT,
    "name": _TEXT,
    "order": _TEXT,
    "progress": (
        _listener,
        "a function of two numbers, a bar of tqdm, or True for a line is needed",
        "Give one of them",
    ),
    "strategy": _TEXT,
    "text": _TEXT,
}


def _check_of(parameter: inspect.Parameter) -> Callable[[Any], Any] | None:
    """Returns the function that converts an argument to what f takes; None if f converts it itself."""
    name, annotation = parameter.name, str(parameter.annotation)
    kind = annotation.removesuffix(" | None")
    optional = kind != annotation
    if kind == _VERTEX:
        return None  # by the graph
    if name in ("source", "u", "v") and kind == "int":
        return functools.partial(vertex_id, name)
    rule = _NAMED.get(name, _RULES.get(kind))
    if rule is None:
        return None
    take, needed, remedy = rule

    def check(value: Any) -> Any:
        if optional and value is None:
            return None
        try:
            return take(value)
        except (TypeError, OverflowError):
            also = ", or None" if optional else ""
            raise TypeError(f"{name} is {shown(value)} ({needed}{also}). {remedy}.") from None

    return check
