# SPDX-License-Identifier: Apache-2.0
"""XML as elements that are handed over as they end, so that a large file is never in memory as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.parsers import expat

from ... import errors
from ...arguments import shown

__all__ = ["Element", "OneGraph", "read_elements", "truth", "value_of"]

# Groups nest in groups, and drawings in nodes, some ten deep.
_DEEPEST = 200


class Element:
    """An element: its tag without namespace if it is of the root's namespace, else "NAMESPACE TAG"."""

    __slots__ = ("_text", "attributes", "children", "line", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.line = line
        self.children: list[Element] = []
        self._text: list[str] = []

    @property
    def text(self) -> str:
        """Its own text, without that of children."""
        return "".join(self._text)

    def get(self, name: str) -> str | None:
        """The value of an attribute."""
        return self.attributes.get(name)

    def all(self, tag: str) -> Iterator[Element]:
        """The children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def below(self) -> Iterator[Element]:
        """All elements in it, in the order of the file."""
        for child in self.children:
            yield child
            yield from child.below()

    def take(self, text: str) -> None:
        """Adds to its text."""
        self._text.append(text)


class OneGraph:
    """Finds the graph that an element is in, which may be in another; a second one beside the first is refused."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.first: Element | None = None

    def around(self, element: Element, parents: list[Element]) -> Element:
        """The innermost graph among the elements that this one is in."""
        graphs = [parent for parent in parents if parent.tag == "graph"]
        if not graphs:
            raise errors.InputError(f"{self._path}:{element.line}: a {element.tag} is in no graph. Put it in one.")
        if self.first is None:
            self.first = graphs[0]
        if graphs[0] is not self.first:
            both = " and ".join(f"{_called(graph)} of line {graph.line}" for graph in (self.first, graphs[0]))
            raise errors.InputError(
                f"{self._path}:{element.line}: this is the second graph with nodes: {both} (which one is meant?). "
                "Keep one of them in the file."
            )
        return graphs[-1]


def _called(graph: Element) -> str:
    return shown(graph.get("id") or graph.get("name") or "one without a name")


def truth(text: str) -> bool:
    """Returns the truth value that XML writes. Raises ValueError."""
    value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
    if value is None:
        raise ValueError(text)
    return value


def _whole(text: str) -> int:
    return int(text.replace("_", "."))  # which Python would take between digits


def _real(text: str) -> float:
    return float(text.replace("_", ","))


_TYPES: dict[str, Callable[[str], Any]] = {
    "boolean": truth,
    **dict.fromkeys(("byte", "short", "int", "integer", "long", "biginteger"), _whole),
    **dict.fromkeys(("float", "double"), _real),
}


def value_of(kind: str, text: str) -> Any:
    """The value that a text is as a type of GraphML or GEXF, or a ValueError; None: it is empty, where that is none."""
    convert = _TYPES.get(kind.lower())
    if convert is None:
        return text
    return convert(text) if text.strip() else None


Closed = Callable[[Element, list[Element]], None]


def read_elements(path: str, data: bytes, root: str, closed: Mapping[str, Closed]) -> None:
    """Calls closed[tag](element, those that it is in, from the root on) at the end of each element with such a tag.

    Such elements are not children of those that they are in: who wants them has had them.

    Raises
    ------
    InputError              the root is another, elements nest without end, or entities are declared, which can expand
                            to anything
    ExpatError              it is no XML
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    open_: list[Element] = []
    namespace = ""

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal namespace
        uri, _, local = name.rpartition(" ")
        if not open_:
            namespace = uri
            if local != root:
                raise errors.InputError(
                    f"{path}: begins with <{local}> (where <{root}> is needed). Say what it is: format=."
                )
        elif len(open_) == _DEEPEST:
            raise errors.InputError(
                f"{path}:{parser.CurrentLineNumber}: {_DEEPEST} elements are in one another (no graph is so deep). "
                "Write it anew."
            )
        open_.append(Element(local if uri == namespace else name, attributes, parser.CurrentLineNumber))

    def end(name: str) -> None:
        element = open_.pop()
        if element.tag in closed:
            closed[element.tag](element, open_)
        elif open_:
            open_[-1].children.append(element)

    def refuse_entity(name: str, *rest: object) -> None:
        raise errors.InputError(
            f"{path}:{parser.CurrentLineNumber}: declares the entity {shown(name)} (which may expand to anything). "
            "Write its text where it stands."
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: open_[-1].take(text)
    parser.EntityDeclHandler = refuse_entity
    parser.Parse(data, True)
