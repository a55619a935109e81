from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from sessions_app.admin.confirming import Removal, foresee_cascade
from sessions_app.admin.forms import ServiceForm, clean_word
from sessions_app.admin.pages import WritingAdmin
from sessions_app.models import Price
from sessions_app.pricing import RATES
from sessions_app.services.prices import delete_prices, is_tiers, save_price

FIELDS = (
    "provider", "model", "match", "valid_from", "convention", *RATES, "tiers"
)  # fmt: skip


class PriceForm(ServiceForm[Price]):
    class Meta:
        model = Price
        fields = FIELDS

    def clean_provider(self) -> str:
        provider: str = self.cleaned_data["provider"]
        return clean_word(provider, "provider", 100).lower() if provider else ""

    def clean_model(self) -> str:
        return clean_word(self.cleaned_data["model"], "model").lower()

    def clean_tiers(self) -> list[dict[str, int]]:
        tiers = self.cleaned_data["tiers"] or []
        if not is_tiers(tiers):
            raise ValidationError(
                'It must be a list such as [{"above": 200000, "input": 6000000000}].'
            )
        return list(tiers)


@admin.register(Price)
class PriceAdmin(WritingAdmin[Price]):
    """Operators' prices may be changed; those of the list follow its editions."""

    form = PriceForm
    list_display = (
        "model", "match", "provider", "source", "valid_from", *RATES, "convention"
    )  # fmt: skip
    list_filter = ("source", "convention")
    search_fields = ("model", "provider")
    search_help_text = "Part of a model's or a provider's name"
    ordering = ("-source", "provider", "model", "-valid_from")

    def create(self, form: Any) -> Price:
        return save_price(Price(**form.cleaned_data))

    def update(self, obj: Price, form: Any) -> None:
        save_price(obj)

    def has_change_permission(
        self, request: HttpRequest, obj: Price | None = None
    ) -> bool:
        listed = obj is not None and obj.source == Price.Source.LIST
        return not listed and super().has_change_permission(request, obj)

    def has_delete_permission(
        self, request: HttpRequest, obj: Price | None = None
    ) -> bool:
        listed = obj is not None and obj.source == Price.Source.LIST
        return not listed and super().has_delete_permission(request, obj)

    def removal(self) -> Removal[Price]:
        return Removal(foresee_cascade, delete_prices)
