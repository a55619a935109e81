from __future__ import annotations

from collections.abc import Sequence

from sessions_app.admin.confirming import Going, Removal, foresee_cascade
from sessions_app.models import Message, Session, Usage
from sessions_app.services.registry.sessions import delete_session


def _foresee(chosen: Sequence[Session]) -> Going:
    going = foresee_cascade(chosen)
    going.add(Message, Message.objects.filter(session__in=chosen).count())
    others = Session.objects.exclude(id__in=[session.pk for session in chosen])
    forks = others.filter(fork_point__session__in=chosen).count()
    going.note(forks, "fork", "will keep the messages shared with it, as copies.")
    children = others.filter(parent_session__in=chosen).count()
    going.note(children, "session", "made from it will stay, without the link.")
    usage = Usage.objects.filter(session__in=chosen).count()
    going.note(usage, "row", "of usage will stay in the ledger.")
    return going


def _delete(chosen: Sequence[Session]) -> None:
    # Forks first, so that nothing is copied for one that goes as well.
    for session in sorted(chosen, key=lambda session: -session.pk):
        delete_session(session=session)


REMOVAL: Removal[Session] = Removal(_foresee, _delete)
