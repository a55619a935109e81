"""
Where a message's skip link points, so that an ancestor is found in few steps.

Besides its parent a message knows one ancestor further up. Followed from any
message, the skip links are its spine: a stack of stretches of 1, 3, 7, ...
messages, of which two equal ones on top are merged with the next message into
one. A climb to an ancestor takes the skip link where it does not lead too far,
and the parent otherwise: O(log depth) steps. (E. W. Myers, "An applicative
random-access stack", Information Processing Letters 17, 1983.)
"""

from __future__ import annotations

from typing import NamedTuple


class Vertebra(NamedTuple):
    """One message of a spine."""

    id: int
    depth: int


Spine = list[Vertebra]
"""A message first, then where its skip link leads, and so on up to the root."""


def extend(spine: Spine, *, id: int, depth: int) -> Spine:  # noqa: A002
    """
    Return the spine of a new message under the one whose spine is given.

    Three vertebrae are enough to extend it once, and n + 2 to do so n times. The
    new message's skip link leads to the second vertebra of the result.
    """
    below = 0
    if len(spine) >= 3:
        first, second, third = spine[:3]
        if first.depth - second.depth == second.depth - third.depth:
            below = 2
    return [Vertebra(id, depth), *spine[below:]]
