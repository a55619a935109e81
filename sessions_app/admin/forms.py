"""Forms of which the services have the last word."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import orjson
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model

from sessions_app.errors import Invalid
from sessions_app.messages import check_name

M = TypeVar("M", bound=Model)


class ServiceForm(forms.ModelForm[M]):
    """A form that can show why a service refused what was in it."""

    refusal: ClassVar[str] = ""
    # Fields whose constraints are left to the service, which says more plainly what
    # is wrong.
    unchecked: ClassVar[frozenset[str]] = frozenset()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.refusal:
            self.add_error(None, self.refusal)
        return self.cleaned_data if cleaned is None else cleaned

    def _get_validation_exclusions(self) -> set[str]:
        excluded: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return excluded | self.unchecked

    def changes(self) -> dict[str, Any]:
        """Return the fields that were changed, with what they are now."""
        return {name: self.cleaned_data[name] for name in self.changed_data}


class MetadataForm(ServiceForm[M]):
    """A form with metadata, which is a JSON object."""

    def clean_metadata(self) -> dict[str, Any]:
        metadata = self.cleaned_data["metadata"]
        if metadata is None:
            return {}
        if not isinstance(metadata, dict):
            raise ValidationError("It must be a JSON object, such as {}.")
        # PostgreSQL stores no text with a NUL, not even escaped.
        if b"\\u0000" in orjson.dumps(metadata):
            raise ValidationError("It holds a NUL character.")
        return metadata


def clean_word(value: str, field: str, longest: int = 200) -> str:
    """
    Return a name fit for a line of text.

    :raises ValidationError: if it is not
    """
    try:
        check_name(value, field, longest)
    except Invalid as exc:
        raise ValidationError(exc.message) from exc
    return value
