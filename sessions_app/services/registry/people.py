"""
Who may log in, and as what: viewer, operator or admin.

A role is the group of its name; an admin is a superuser of Django, too, so that its
admin is open to them. A change holds from the person's next request on: roles are read
on each, and a new password or a deactivation ends all their logins.
"""

from __future__ import annotations

import secrets

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q

from sessions_app.errors import Conflict, Invalid
from sessions_app.messages import check_name

ADMIN = "admin"
ROLES = ("viewer", "operator", ADMIN)
MAX_USERNAME = 150


class PersonExists(Conflict):
    pass


class LastAdmin(Conflict):
    """Without an admin nobody could manage keys and people any more."""


def role_name(user: User) -> str:
    """Return a person's highest role; "" is none. Groups are best prefetched."""
    if user.is_superuser:
        return ADMIN
    names = {group.name.lower() for group in user.groups.all()}
    return max(names.intersection(ROLES), key=ROLES.index, default="")


@transaction.atomic
def create_person(
    *, username: str, role: str, password: str | None = None
) -> tuple[User, str]:
    """
    Make a person, and return them with their password: a random one, if none is given.

    :raises PersonExists: if the name is taken, whatever its case
    :raises Invalid: if the name, the role or the password cannot be
    """
    username = username.strip()
    check_name(username, "name", MAX_USERNAME)
    _check_role(role)
    if User.objects.filter(username__iexact=username).exists():
        raise PersonExists(f"There is a person {username!r} already")
    user = User(username=username)
    password = _checked(password, user) if password else new_password()
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as exc:
        raise PersonExists(f"There is a person {username!r} already") from exc
    _give(user, role)
    return user, password


@transaction.atomic
def set_role(*, user: User, role: str) -> None:
    """
    :raises LastAdmin: if nobody else is an admin
    """
    _check_role(role)
    if role != ADMIN:
        _check_others(user)
    _give(user, role)


@transaction.atomic
def set_active(*, user: User, active: bool) -> None:
    """
    Let a person in again, or no longer: they are out at once.

    :raises LastAdmin: if nobody else is an admin
    """
    if not active:
        _check_others(user)
    User.objects.filter(pk=user.pk).update(is_active=active)


@transaction.atomic
def delete_person(*, user: User) -> None:
    """
    :raises LastAdmin: if nobody else is an admin
    """
    _check_others(user)
    user.delete()


def reset_password(*, user: User, password: str | None = None) -> str:
    """
    Give a person a new password, by default a random one, and return it.

    :raises Invalid: if it is too weak
    """
    password = _checked(password, user) if password else new_password()
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])
    return password


def change_password(*, user: User, old: str, new: str) -> None:
    """
    Change one's own password.

    :raises Invalid: if the old one is wrong, or the new one too weak
    """
    if not user.check_password(old):
        raise Invalid("The present password is wrong", field="old")
    reset_password(user=user, password=_checked(new, user))


def new_password() -> str:
    return secrets.token_urlsafe(12)


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise Invalid(f"role: must be one of {', '.join(ROLES)}", field="role")


def _checked(password: str, user: User) -> str:
    try:
        validate_password(password, user)
    except ValidationError as exc:
        raise Invalid(" ".join(exc.messages).rstrip("."), field="password") from exc
    return password


def _give(user: User, role: str) -> None:
    user.is_staff = user.is_superuser = role == ADMIN
    user.save(update_fields=["is_staff", "is_superuser"])
    named = User.groups.through.objects.filter(user=user, group__name__in=ROLES)
    named.delete()
    user.groups.add(Group.objects.get_or_create(name=role)[0])


def _check_others(user: User) -> None:
    """Lock all admins, and see that one is left beside a person."""
    admin = Q(is_superuser=True) | Q(
        pk__in=User.groups.through.objects.filter(group__name=ADMIN).values("user")
    )
    admins = list(User.objects.select_for_update().filter(admin, is_active=True))
    if admins == [user]:
        raise LastAdmin(f"{user} is the last admin: make another one first")
