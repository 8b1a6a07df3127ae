"""The state of the search for the best path after a step: its position, the best scores so far, the state of
each edge."""

from __future__ import annotations

from tokenizers_core.encoding.models.lattice import Edge, ViterbiSnapshot


def boundary_of(snapshot: ViterbiSnapshot) -> int:
    """The step's boundary."""
    event = snapshot.event
    match event.kind:
        case "lattice":
            return 0
        case "forward":
            return event.position
        case "backward":
            return event.edge.start


def edge_of(snapshot: ViterbiSnapshot) -> Edge | None:
    """The edge found in the step."""
    event = snapshot.event
    match event.kind:
        case "lattice":
            return None
        case "forward":
            return event.winner.edge if event.winner else None
        case "backward":
            return event.edge


def score_at(snapshot: ViterbiSnapshot, position: int) -> float | None:
    """The best log probability at a reached boundary; None if no path leads there."""
    if not position:
        return 0.0
    winner = snapshot.best[position - 1]
    return None if winner is None else winner.log_probability


def state_of(snapshot: ViterbiSnapshot, edge: Edge) -> str:
    """The search's state of an edge, as classes."""
    unknown = "unk " if edge.unknown else ""
    return (unknown + known_of(snapshot, edge)).strip()


def known_of(snapshot: ViterbiSnapshot, edge: Edge) -> str:
    """The same, apart from whether the edge is an unknown character."""
    event, reached = snapshot.event, len(snapshot.best)
    if edge in snapshot.path:
        return "best"
    if event.kind == "lattice":
        return ""
    if edge.end > reached:
        return "later"
    winner = snapshot.best[edge.end - 1]
    won = winner is not None and winner.edge == edge
    if event.kind == "forward" and edge.end == reached:
        tied = any(way.edge == edge for way in event.tied)
        return "lit won" if won else "lit tie" if tied else "lit"
    return "won" if won else "lost"
