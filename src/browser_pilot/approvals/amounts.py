"""Finds the amount of money in what a person is asked to approve: in a label, or in a field of a form. Pure.

A help for the eye, not a check: the form's fields are shown as well, and the policy does not depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_SYMBOLS = "$€£¥₹₽₩₺₴₪฿₫₦₱"
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|RUB|KRW|TRY|UAH|PLN|CZK|HUF|SEK|NOK|DKK|CAD|AUD|NZD|BRL|MXN|ZAR|SGD|HKD|AED"
_NUMBER = r"\d[\d.,'’  ]{0,20}"
_MONEY = re.compile(
    rf"(?:(?:[{_SYMBOLS}]|\b(?:{_CODES})\b) ?{_NUMBER})|(?:{_NUMBER} ?(?:[{_SYMBOLS}]|(?:{_CODES})\b))", re.IGNORECASE
)
_AMOUNT_NAMES = re.compile(
    r"amount|total|\bsum\b|price|betrag|summe|preis|montant|somme|prix|importe|monto|precio|cantidad|valor|preço|quantia|"
    r"importo|prezzo|totale|bedrag|prijs|kwota|cena|belopp|beløb|beløp|pris|сумма|цена|tutar|fiyat|金額|金额|价格|価格|금액|가격",
    re.IGNORECASE,
)
_CURRENCY_NAMES = re.compile(
    r"currency|währung|waehrung|devise|moneda|moeda|valuta|waluta|валюта|通貨|货币|통화", re.IGNORECASE
)


def find_amount(labels: Iterable[str], fields: Mapping[str, str], lines: Iterable[str] = ()) -> str:
    """The amounts, such as "999 EUR (amount)"; empty when none is recognizable.

    ``lines`` are texts next to the fields: those that name an amount count ("Total: 49.00 EUR").
    """
    found = [
        f"{_with_currency(value, fields)} ({name})"
        for name, value in fields.items()
        if _AMOUNT_NAMES.search(name) and re.search(r"\d", value) and len(value) <= 40
    ]
    named = (line for line in lines if _AMOUNT_NAMES.search(line))
    found += [match[0].strip(" .,") for label in (*labels, *named) for match in _MONEY.finditer(label)]
    return ", ".join(dict.fromkeys(found))


def _with_currency(value: str, fields: Mapping[str, str]) -> str:
    if _MONEY.search(value):
        return value
    currency = next((given for name, given in fields.items() if _CURRENCY_NAMES.search(name) and len(given) <= 5), "")
    return f"{value} {currency}".strip()
