from __future__ import annotations

from context_app.working_context.caching import ContentCache


def test_what_was_put_is_found():
    cache: ContentCache[str] = ContentCache(100)
    cache.put("a", "A", 10)

    assert cache.get("a") == "A"
    assert cache.get("b") is None
    assert cache.get_all(["b", "a"]) == [None, "A"]


def test_what_was_used_longest_ago_makes_room():
    cache: ContentCache[str] = ContentCache(30)
    for key in "abc":
        cache.put(key, key.upper(), 10)
    cache.get("a")
    cache.get_all(["b"])

    cache.put("d", "D", 10)

    assert cache.get_all("abcd") == ["A", "B", None, "D"]
    assert cache.bytes == 30


def test_what_is_larger_than_all_room_is_not_kept():
    cache: ContentCache[str] = ContentCache(30)
    cache.put("a", "A", 10)

    cache.put("b", "B", 31)

    assert cache.get_all("ab") == ["A", None]
    assert cache.bytes == 10


def test_the_same_twice_counts_once():
    cache: ContentCache[str] = ContentCache(30)
    cache.put("a", "A", 10)
    cache.put("a", "A", 10)

    assert cache.bytes == 10
