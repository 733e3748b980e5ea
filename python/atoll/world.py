# SPDX-License-Identifier: Apache-2.0
"""Which ranks work on a graph: from `comm=` and `plan=` to a World that all graphs of that kind share."""

from __future__ import annotations

import atexit
import json
import logging
import os
import pickle
import re
import sys
import threading
import warnings
import weakref
from typing import Any, Callable, TypeVar

import numpy as np

from . import _core, errors
from ._core import World
from .arguments import converted, json_text

__all__ = ["World", "counters", "run_ranks", "set_threads"]

T = TypeVar("T")
log = logging.getLogger("atoll")

_defaults: dict[str, Any] = {}  # fields of every plan, by set_threads
_alone: weakref.WeakValueDictionary[str, World] = weakref.WeakValueDictionary()  # by plan
_joined: dict[str, World] = {}  # by plan: the launcher's ranks, without mpi4py
_keyval: int | None = None  # of the worlds that hang on a communicator
_to_close: list[World] = []  # in the order of their making, which all ranks share


@converted
def set_threads(threads: int) -> None:
    """Threads of each rank, for graphs that are made from now on.

    Parameters
    ----------
    threads : int               0: the cores that this process may use, shared by the ranks of the machine

    Notes
    -----
    ``plan={"threads": 2}`` says so for one graph; the environment variable ATOLL_THREADS overrides both.

    Examples
    --------
    >>> atoll.set_threads(1)
    >>> atoll.Graph("path:3").world.threads
    1
    >>> atoll.set_threads(0)
    """
    _core.plan(json.dumps({"threads": threads}))  # checks it
    _defaults["threads"] = threads


@converted
def run_ranks(ranks: int, f: Callable[[World], T], *, plan: dict[str, Any] | None = None) -> list[T]:
    """Calls f(world) on ranks that are threads of this process: a distributed program without MPI.

    Made for trying out and testing what later runs over MPI: f gives ``comm=world`` to all that takes a
    `comm`. If f raises on a rank, the others' waits end, and the exception of the rank that was first is
    raised here.

    Parameters
    ----------
    ranks : int                 at least 1
    f : callable                called with a World, which has `rank` and `size`
    plan : dict, optional       knobs of communication, such as {"threads": 1}

    Returns
    -------
    list                        what f returned, by rank

    Examples
    --------
    >>> def depths(world):
    ...     graph = atoll.Graph("ring:6", comm=world)
    ...     return atoll.bfs(graph, 0).depth.local.tolist()
    >>> atoll.run_ranks(2, depths)
    [[0, 1, 2], [3, 2, 1]]
    """
    worlds = _core.ranks_in_process(ranks, json_text("plan", {**_defaults, **(plan or {})}))
    results: list[Any] = [None] * ranks
    failed: list[BaseException] = []

    def play(rank: int) -> None:
        try:
            results[rank] = f(worlds[rank])
            worlds[rank].close()
        except BaseException as e:  # the others wait for this rank: they must hear of it whatever it is
            failed.append(e)
            worlds[rank]._give_up()

    others = [threading.Thread(target=play, args=(r,)) for r in range(1, ranks)]
    for thread in others:
        thread.start()
    play(0)
    for thread in others:
        thread.join()
    if failed:
        raise failed[0]
    return results


@converted
def counters(world: World) -> dict[str, Any]:
    """Returns counts of what this rank has sent and waited for since its World was made.

    Messages and bytes by level of the hierarchy, records, memory. Not collective.

    Examples
    --------
    >>> atoll.world.counters(atoll.Graph("kron:8").world)["records"] > 0
    True
    """
    return json.loads(world._counters())


def world_of(comm: Any = None, plan: dict[str, Any] | None = None) -> World:
    """The World for `comm`: a communicator of mpi4py, a World, or None.

    None is COMM_WORLD where mpi4py runs MPI, else the ranks that a launcher has started, else one rank in
    this process. Collective over these ranks the first time.
    """
    if isinstance(comm, World):
        if plan:
            raise errors.UsageError("plan is given with a World (which has its own). Give it to run_ranks.")
        return comm
    text = _core.plan(json_text("plan", {**_defaults, **(plan or {})}))
    transport = json.loads(text)["transport"]
    for name in _core.unknown_environment():
        log.warning("the environment variable %s is unknown (it names no field of Plan); it does nothing", name)
    if comm is not None:
        return _of_communicator(comm, text)
    if transport == "inproc":
        return _one_rank(text)
    MPI: Any = sys.modules.get("mpi4py.MPI")
    if MPI is not None and MPI.Is_initialized() and not MPI.Is_finalized():
        return _of_communicator(MPI.COMM_WORLD, text)
    launcher = _core.launcher()
    if transport.startswith("mpi") or (launcher is not None and launcher[1] > 1):
        if text not in _joined:
            _joined[text] = _keep_open(_join(text))
        return _joined[text]
    if text not in _alone:
        note = _core.note_of_one_rank("atoll.run_ranks")
        if note:
            warnings.warn(note, RuntimeWarning, stacklevel=1)  # logging says nothing unless a program sets it up
    return _one_rank(text)


def _join(text: str) -> World:
    """The World of the ranks that a launcher has started."""
    _core.check_step_has_pmi()
    try:
        return _core.join(text)
    except errors.TransportError as e:
        # The engine names the command's option.
        here = re.sub(r"(?<!\S)--mpi(?![=\w])", 'plan={"mpi": ...} (or the variable ATOLL_MPI)', str(e))
        raise errors.TransportError(here) from None


def all_gather(world: World, part: np.ndarray) -> np.ndarray:
    """The ranks' arrays, of one dimension and one type, one behind the other in rank order. Collective."""
    if world.size == 1:
        return part
    return _core.all_gather(world, np.ascontiguousarray(part).view(np.uint8)).view(part.dtype)


def all_gather_objects(world: World, part: Any) -> list[Any]:
    """Returns the object of each rank, in rank order; it travels as a pickle. Collective."""
    if world.size == 1:
        return [part]
    with agreed(world):
        try:
            text = np.frombuffer(pickle.dumps(part), dtype=np.uint8)
        except Exception as e:  # pickle raises what the objects do
            raise TypeError(
                f"what other ranks need cannot be pickled ({type(e).__name__}: {e}). Give plain values."
            ) from e
    sizes = all_gather(world, np.array([len(text)], dtype=np.int64))
    return [pickle.loads(one.tobytes()) for one in np.split(all_gather(world, text), np.cumsum(sizes)[:-1])]


def world_of_process() -> World:
    """The World of this process alone, whatever a launcher has started."""
    return _one_rank(_core.plan(json_text("plan", _defaults)))


def _one_rank(text: str) -> World:
    world = _alone.get(text)
    if world is None:
        world = _alone[text] = _core.alone(text)
    return world


def _of_communicator(comm: Any, text: str) -> World:
    global _keyval
    MPI: Any = sys.modules.get("mpi4py.MPI")
    if MPI is not None and isinstance(comm, MPI.Comm) and comm == MPI.COMM_NULL:
        raise errors.InputError("comm is COMM_NULL (no rank belongs to it). Call on its members only.")
    if MPI is None or not isinstance(comm, MPI.Intracomm):
        raise TypeError(
            f"comm is a {type(comm).__module__}.{type(comm).__qualname__} (an intracommunicator of mpi4py, a "
            "World or None is needed). Use mpi4py.MPI.COMM_WORLD or leave it away."
        )
    if comm.Get_size() == 1:
        launcher = _core.launcher()
        if comm == MPI.COMM_WORLD and launcher is not None and launcher[1] > 1:
            _core.check_step_has_pmi()
            mpich = MPI.Get_library_version().startswith("MPICH")
            raise errors.TransportError(
                _other_mpi(launcher, *(("MPICH", "openmpi") if mpich else ("Open MPI", "mpich")))
            )
        return _one_rank(text)
    if _keyval is None:
        _keyval = MPI.Comm.Create_keyval()  # not copied by Dup; gone with the communicator
    worlds = comm.Get_attr(_keyval)
    if worlds is None:
        worlds = {}
        comm.Set_attr(_keyval, worlds)
    if text not in worlds:
        worlds[text] = _keep_open(_core.join_communicator(text, MPI._addressof(comm), MPI.Get_library_version()))
    return worlds[text]


def _other_mpi(launcher: tuple[str, int], runs: str, other: str) -> str:
    return (
        f"{launcher[0]} has started {launcher[1]} processes, but each is alone in MPI.COMM_WORLD (mpi4py runs {runs}, "
        f"which does not understand that launcher). Start with the launcher of {runs}, or have mpi4py run the other "
        f"MPI: MPI4PY_MPIABI={other} with the wheel of PyPI, else an mpi4py that is built for it."
    )


def _keep_open(world: World) -> World:
    _to_close.append(world)
    return world


# A rank that leaves by an exception waits so long for the others, who may do the same; then it ends the job.
_GRACE_S = 3.0


@atexit.register
def _close_all() -> None:
    failed = getattr(sys, "last_value", None) is not None
    try:
        for world in _to_close:
            world._close_within(_GRACE_S if failed else None)
        _core.finish_mpi()
    except errors.TransportError as e:
        log.error("%s", e)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)  # without MPI_Finalize, where it would wait for ever: the launcher ends the other ranks


def _forget() -> None:
    _alone.clear()
    _joined.clear()
    _to_close.clear()


os.register_at_fork(after_in_child=_forget)

# ---- errors, the same on every rank ------------------------------------------------------------

_KINDS: list[type[Exception]] = [
    RuntimeError,  # any other
    errors.InputError,
    errors.UsageError,
    errors.IoError,
    errors.TransportError,
    errors.VerificationError,
    errors.Error,
    TypeError,
    ValueError,
    ImportError,
    OSError,
    MemoryError,
]


class agreed:
    """A block that fails on every rank if it fails on one, with the same error. Collective.

    ``with agreed(world, "bfs(1)"): check()`` also compares the text, which says what a rank was called with.
    """

    def __init__(self, world: World, call: str = "") -> None:
        self.world, self.call = world, call

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self.world.size == 1 or not (error is None or isinstance(error, Exception)):
            return
        index, text = 0, ""
        if error is not None:
            index = next((i for i, k in enumerate(_KINDS) if i > 0 and isinstance(error, k)), 0) + 1
            text = str(error) if index > 1 else f"{type(error).__name__}: {error}"
        found = self.world._first_error(index, text, self.call)
        if found is None:
            return
        if found[0] < 0:
            raise errors.UsageError(found[1])
        if error is None or str(error) != found[1]:
            raise _KINDS[found[0] - 1](found[1]) from error
