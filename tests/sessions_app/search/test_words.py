"""FTS5 itself is asked what the words are, and ours must be the same."""

from __future__ import annotations

import pysqlite3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.search.words import Word, lexeme, stem, stems, words

# Each ending of the algorithm, on words that are long and short enough for it and not.
TRICKY = """
a i y s as is us yes yed ying sky skies spy spies dye dyed dying die dies died tie ties
eed eeds feed feeds agreed freed need needed exceed exceeding proceed succeeded bleed
sses ies ied asses classes caresses presses ss gas gases bus buses this his has was
does goes shoes ponies cries flies families abilities boss bosses ass pass passes
plastered bled motoring sing sings singing king kings red bed shed string spring thing
conflated conflating troubled troubling sized sizing size hopping hoping hope hop tanned
falling hissing fizzed fizzing failing filing filed filled willed boxed boxing snowed
snowing played playing saying stayed yyed yying byed baying eyeing ayed bowed taxed
happy happily happiness enjoy employs employment sly dry dried drier syzygy rhythm
relational conditional rational national valenci valency hesitancy digitizer conformably
conformable radically differently vilely analogously vietnamization predication operator
feudalism decisiveness hopefulness callousness formality sensitivity sensibility ability
mobility edibility visibility biliti apology geology logi mythological psychology analogi
triplicate formative formalize electricity electrical hopeful goodness duplicate native
revival allowance inference airliner gyroscopic adjustable defensible irritant replacement
adjustment dependent adoption communism activate angularity homologous effective bowdlerize
ion lion onion million station stations action session sessions vision mention mansion
probate rate cease controlling controlled roll rolls troll install installed hall all ell
deploy deploys deployed deploying deployer deployment deployments redeployed budget budgets
general generally generalization generalizations oscillators oscillate multidimensional
university universe universal news new organization organize organ policy police policies
matrix matrices index indices indexes indexing analysis analyses analyze analyst data date
dated dates dating compaction compacted compacting token tokens tokenize tokenizer memory
memories prefix prefixes summary summaries summarize summarization branch branches leaf
leaves search searching searches querying query queries agent agents agency urgency
sexism ism isms ism1 able ble bly ably ibly nobly doubly table tables stable stability
ement ment ent cement element moment comment comments commenting agreement supplement
ful awful useful usefully usefulness iveness ness witness business busy businesses
ative ate ator izer iser enci anci eli entli ousli alli aliti iviti ization ational tional
xyz xyzed xxing zzing ssing lling llll aall eell creel cooled cooling sooner see seed seeing
"""

PARAGRAPHS = [
    "The Café's naïve résumé: coöperate, façade, Ångström, São Paulo, ÎLE, ǖber, İstanbul.",
    "Zażółć gęślą jaźń. Příliš žluťoučký kůň. Việt Nam: Đường Nguyễn Huệ. Straße, STRASSE, ẞ.",
    "cafe\u0301s nai\u0308ve o\u0302\u0301ng a\u0338b \u0301start e\u0301\u0302 \u093f end\u0301",
    "ΟΔΥΣΣΕΥΣ ὀδυσσεύς ΐ ϐ ϑ µm Ωm K Å ſtrange ﬁne; Привет, ЁЖИК ёжик; ᏣᎳᎩ ꮳꮃꭹ Ⴀ ა Ა",
    "部署系统失败了，请重试。サーバーがダウン、ﾊﾝｶｸ。서버가 중단되었습니다. ㄅㄆㄇ 〇一二 々",
    "Rocket 🚀 robot 🤖 melting 🫠 family 👨‍👩‍👧‍👦 flag 🇩🇪 a🤖b a🚀b ❤️ ½ Ⅷ ² ٣٤ १२",
    "snake_case __init__ x86_64 3.14 v1.2.3-rc1 0xDEADBEEF user@example.com C++ C# l'été don't",
    "สวัสดีครับ हिन्दी में لماذا العربيّة עִבְרִית ພາສາ မြန်မာ \ue000\uf8ff \U000f0000",
    "tab\tnew\nline\r\x0bnul\0nul\x02mark\x03 zero\u200bwidth\u200djoin soft\u00adhyphen\ufeff",
]


def spoken_by_fts5(texts: list[str]) -> list[list[str]]:
    connection = pysqlite3.connect(":memory:")
    connection.text_factory = lambda term: term.decode(errors="replace")
    connection.execute(
        "CREATE VIRTUAL TABLE texts USING fts5 (x, tokenize='porter unicode61')"
    )
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (texts, 'instance')")
    connection.executemany(
        "INSERT INTO texts (rowid, x) VALUES (?, ?)", enumerate(texts)
    )

    terms: list[list[str]] = [[] for _ in texts]
    for term, number in connection.execute(
        "SELECT term, doc FROM terms ORDER BY doc, offset"
    ):
        terms[number].append(term)
    connection.close()
    return terms


def test_it_works():
    assert list(words("Deploying, the CAFÉ")) == [
        Word(0, 9, "deploi"),
        Word(11, 14, "the"),
        Word(15, 19, "cafe"),
    ]


def test_deployment_is_another_word():
    assert stem("deploying") == stem("deploy")
    assert stem("deployment") != stem("deploy")


def test_tricky_words_agree_with_fts5():
    tricky = TRICKY.split()

    assert [stems(word) for word in tricky] == spoken_by_fts5(tricky)


def test_endings_on_all_short_beginnings_agree_with_fts5():
    endings = sorted(set(TRICKY.split()))
    made = [
        start + ending
        for start in ("b", "yo", "tre", "abl", "ecol")
        for ending in endings
    ]

    assert [stems(word) for word in made] == spoken_by_fts5(made)


@pytest.mark.parametrize("text", PARAGRAPHS)
def test_paragraphs_agree_with_fts5(text):
    assert [stems(text)] == spoken_by_fts5([text])


def test_characters_agree_with_fts5():
    # Every one where scripts are small, and samples of the large blocks.
    points = [*range(0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x20000)]
    points += range(0x3400, 0xD800, 101)
    points += range(0x20000, 0x110000, 1009)
    texts = [
        f"q{chr(point)}q {chr(point)}"
        for point in points
        if not 0xD800 <= point < 0xE000
    ]

    assert [stems(text) for text in texts] == spoken_by_fts5(texts)


@pytest.mark.parametrize("size", [2, 3, 63, 64, 65, 66, 32_767, 32_768, 32_769, 40_000])
def test_long_and_short_words_agree_with_fts5(size):
    texts = [
        "a" * (size - 1) + "s",
        "ñ" * (size // 2) + "s",
        "я" * (size // 2 - 1) + "s",
    ]

    assert [stems(text) for text in texts] == spoken_by_fts5(texts)


def test_letters_cut_in_two_agree_with_fts5():
    # The last bytes of this letter are the same, and so a double consonant to FTS5.
    text = "a\u1000ed a\u1000ing a\u1000 a"

    assert [stems(text)] == spoken_by_fts5([text])
    assert stems(text)[0] == "a\ufffd"


@given(st.lists(st.text(), max_size=20))
def test_any_text_agrees_with_fts5(texts):
    assert [stems(text) for text in texts] == spoken_by_fts5(texts)


@given(st.lists(st.text("aeiouybdglnstz éñк你", max_size=12), max_size=50))
@settings(max_examples=200)
def test_any_syllables_agree_with_fts5(texts):
    endings = ["", "ed", "ing", "s", "ies", "ational", "biliti", "ement", "ion"]
    made = [text + ending for text in texts for ending in endings]

    assert [stems(text) for text in made] == spoken_by_fts5(made)


@given(st.text())
def test_words_say_where_they_stand(text):
    found = list(words(text))

    assert [word.stem for word in found] == stems(text)
    assert [stem(text[word.start : word.end]) for word in found] == stems(text)


def test_lone_surrogates_part_words():
    assert stems("one\ud800two") == ["on", "two"]


def test_a_lexeme_is_quoted_and_cut():
    assert lexeme("it's\\") == r"'it''s\\'"
    assert lexeme("é" * 2000) == f"'{'é' * 1023}'"
