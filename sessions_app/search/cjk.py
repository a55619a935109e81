"""
Text in the scripts of Chinese, Japanese and Korean.

The tokenizer makes one word of a whole run of them, so that what stands inside the
run can only be found as a substring.
"""

from __future__ import annotations

import re

from sessions_app.search.unicode61 import character_class, spans

# Han with its radicals and marks, kana (half width too), Bopomofo, Hangul, Yi and
# Tangut; from U+20000 on there is nothing but Han. Blocks.txt of Unicode 16.
CJK = """
1100-11ff 2e80-2fdf 3005-3007 3021-302f 3031-3035 3038-303c 3041-318f 31a0-31ff
3400-4dbf 4e00-a4cf a960-a97f ac00-d7ff f900-faff ff66-ffdc 16fe0-18dff 1aff0-1b2ff
20000-3fffd
"""
CJK_LETTERS = character_class(spans(CJK))

_find = re.compile(f"[{CJK_LETTERS}]").search


def holds_cjk(text: str) -> bool:
    return not text.isascii() and _find(text) is not None
