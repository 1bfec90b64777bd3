"""The preset "campus": the values of the campus assistant, exactly, and how it behaves with them (mission E)."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from openai_server import chat, serve
from rove import AsyncRove, ConfigError, Rove, Text, field
from rove.answer import fallback_hyde
from rove.answer.chitchat import CHITCHAT, chitchat
from rove.answer.pack import instructions
from rove.answer.refusal import refusal
from rove.models import chat_model
from rove.prepare import types_of
from rove.records import Document
from rove.settings import ChatSettings, read_settings

CAMPUS = Path(__file__).with_name("campus.json")
TEMPLATE = "instruction\nQuery: {query}\nAnswer: {answer}"
LANGUAGES = ("en", "de", "hu", "zh", "ja")


def test_the_preset_has_the_missions_values(tmp_path: Path) -> None:
    found = read_settings(tmp_path, preset="campus")
    assert (found.search.top_k, found.answer.references) == (3, 3)
    assert found.answer.max_distance == 0.35
    assert found.chunk.template == TEMPLATE
    assert (found.answer.mode, found.answer.fallback) == ("semantic", ("hyde", "refuse"))
    assert found.answer.demonstrations == "campus"


B2_DEFAULTS = {
    **dict.fromkeys(("pdf", "pptx", "docx", "txt", "html", "url", "csv", "xlsx", "string"), "size"),
    "markdown": "header",
}
"""Mission B.2, type by type: the first strategy of each, and "header" where it names a default."""


def test_the_knowledge_framework_has_its_chunks_as_a_preset(tmp_path: Path) -> None:
    found = read_settings(tmp_path, preset="framework")
    assert (found.chunk.size_chars, found.chunk.overlap_chars, found.chunk.separator) == (512, 50, "\n")
    assert found.chunk.strategy == B2_DEFAULTS
    assert (found.search.top_k, found.answer.references) == (4, 5)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("/a/notes.txt", "text"), ("rove:text", "text"), ("https://example.org/page", "html"),
        ("https://example.org/log.txt", "text"), ("/a/page.html", "html"), ("/a/table.csv", "csv"),
        ("/a/table.xlsx", "xlsx"), ("/a/paper.pdf", "pdf"), ("/a/talk.pptx", "pptx"), ("/a/letter.docx", "docx"),
        ("/a/notes.md", "markdown"),
    ],
)  # fmt: skip
def test_each_type_of_document_is_cut_as_the_framework_does(tmp_path: Path, source: str, kind: str) -> None:
    strategy = read_settings(tmp_path, preset="framework").chunk.strategy
    types = types_of(Document("d", source, kind, "text"))
    assert next(strategy[name] for name in types if name in strategy) == ("header" if kind == "markdown" else "size")


async def test_a_text_file_is_cut_by_size_under_the_framework(tmp_path: Path) -> None:
    words = " ".join(f"word{n}" for n in range(400))
    (tmp_path / "a.txt").write_text(words, "utf-8")
    async with AsyncRove.open(tmp_path / "kb", preset="framework", embedder={"name": "fake"}) as base:
        await base.add(tmp_path / "a.txt")
        _, chunks = await base.document((await base.documents())[0].document_id)
    assert all(len(chunk.text) <= 512 for chunk in chunks)
    assert all(before.span[1] > after.span[0] for before, after in pairwise(chunks))  # they overlap


def test_the_study_of_posts_has_its_index_as_a_preset(tmp_path: Path) -> None:
    found = read_settings(tmp_path, preset="pawsitive")
    store = found.store
    assert (store.vector_index, store.num_partitions, store.num_sub_vectors) == ("ivf_pq", 1024, 96)
    assert (store.nprobes, store.refine_factor, found.search.top_k) == (20, 10, 50)


@pytest.mark.parametrize("where", ["file", "environment", "call"])
def test_every_place_can_name_it_and_what_is_said_by_itself_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    if where == "file":
        (tmp_path / "rove.toml").write_text('preset = "campus"\n[answer]\nmax_distance = 0.2\n', "utf-8")
    if where == "environment":
        monkeypatch.setenv("ROVE_PRESET", "campus")
        monkeypatch.setenv("ROVE_ANSWER__MAX_DISTANCE", "0.2")
    arguments = {"preset": "campus", "answer": {"max_distance": 0.2}} if where == "call" else {}
    found = read_settings(tmp_path, **arguments)
    assert (found.preset, found.search.top_k, found.answer.max_distance) == ("campus", 3, 0.2)
    assert read_settings(tmp_path, **arguments, search={"top_k": 7}).search.top_k == 7
    assert read_settings(tmp_path, preset="").search.top_k == 10


def test_a_misspelt_preset_is_said_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="preset .*'campus'"):
        read_settings(tmp_path, preset="capmus")


@pytest.mark.parametrize(
    "template", ["Query: {query}", "{answer} {query}", "Q{query}A{answer}", "{answer}\n{answer}", "x: {answer}."]
)
def test_a_template_that_cannot_be_filled_is_refused(tmp_path: Path, template: str) -> None:
    with pytest.raises(ConfigError, match=r"chunk\.template .*\{answer\}"):
        read_settings(tmp_path, chunk={"template": template})


async def test_chunks_and_made_up_answers_are_embedded_in_the_same_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up = "图书馆每天早上八点开门。"
    forms: list[str] = []
    search = fallback_hyde.search_by_answer

    async def noted(indexed: str, *given: object, **more: object) -> object:
        forms.append(indexed)
        return await search(indexed, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(fallback_hyde, "search_by_answer", noted)
    async with (
        AsyncRove.open(tmp_path, preset="campus", embedder={"name": "fake"}) as base,
        serve(chat(made_up), chat("早上八点。[1]")) as server,
    ):
        await base.add(CAMPUS)
        (hit, *_) = await base.search("图书馆几点开门？", mode="keyword", top_k=1)
        assert hit.chunk.indexed_text == f"instruction\nQuery: 图书馆几点开门？\nAnswer: {hit.chunk.text}"
        assert len(await base.search("图书馆")) == 3
        model = ChatSettings(model="m", base_url=server.url, timeout_s=2, retries=0)
        base.settings = base.settings.model_copy(update={"chat": model})
        await base.ask("鸭大什么水平")
    assert forms == [f"instruction\nQuery: 鸭大什么水平\nAnswer: {made_up}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_three_demonstrations_are_in_the_users_language(language: str) -> None:
    told = instructions("You are Ada.", language, "campus")
    assert told.startswith("You are Ada.")
    assert [told.count(f"Example {number}") for number in (1, 2, 3, 4)] == [1, 1, 1, 0]
    second, third = told.split("Example 2")[1].split("Example 3")
    assert refusal(language) not in second
    assert third.rstrip().endswith(refusal(language))
    assert "[" not in second.split("Answer: ")[1]
    own = {"en": "introduce", "de": "stell dich vor", "hu": "mutatkozz be", "zh": "介绍", "ja": "自己紹介"}
    assert own[language] in second
    assert (own["en"] in told) == (language == "en")
    assert "{" not in told


@pytest.mark.parametrize(
    ("persona", "question", "wrote"),
    [
        (
            "You are Ada, the assistant of the university.",
            "Introduce yourself.",
            "I am Ada, the assistant of the university.",
        ),
        (
            "Du bist Ada, die Assistentin der Universität.",
            "Stell dich vor.",
            "Ich bin Ada, die Assistentin der Universität.",
        ),
        ("你是小中，中山大学的助手。", "请介绍一下你自己。", "我是小中，中山大学的助手。"),
        ("あなたは中山、大学のアシスタントです。", "自己紹介をしてください。", "私は中山、大学のアシスタントです。"),
        ("Te Ada vagy, az egyetem asszisztense.", "Mutatkozz be.", "Ada vagyok, az egyetem asszisztense."),
    ],
)
async def test_who_the_assistant_is_needs_no_source_and_what_the_persona_does_not_hold_does(
    tmp_path: Path, persona: str, question: str, wrote: str
) -> None:
    answer = {"max_distance": 2.0, "persona": persona}
    async with AsyncRove.open(tmp_path, preset="campus", embedder={"name": "fake"}, answer=answer) as base:
        await base.add(CAMPUS)
        for reply, held in ((wrote, True), ("The chancellor was born in Oslo in 1931.", False)):
            async with serve(chat(reply)) as server:
                model = ChatSettings(model="m", base_url=server.url, timeout_s=2, retries=0)
                base.settings = base.settings.model_copy(update={"chat": model})
                told = await base.ask(question)
            assert (told.text == reply) == held
            assert not any(reply in one.text and one.kept for one in told.sentences) or held
        usual = base.settings.answer.model_copy(update={"demonstrations": "usual"})
        async with serve(chat(wrote)) as server:
            model = ChatSettings(model="m", base_url=server.url, timeout_s=2, retries=0)
            base.settings = base.settings.model_copy(update={"chat": model, "answer": usual})
            assert (await base.ask(question)).text != wrote


ABOUT_ITSELF = {
    "en": ("You are Ada, the assistant of the university.", "Could you introduce yourself, please?",
           "I am Ada, the assistant of the university."),
    "de": ("Du bist Ada, die Assistentin der Universität.", "Bitte stell dich kurz vor!",
           "Ich bin Ada, die Assistentin der Universität."),
    "hu": ("Te Ada vagy, az egyetem asszisztense.", "Kérlek, mutatkozz be.", "Ada vagyok, az egyetem asszisztense."),
    "zh": ("你是小中，中山大学的助手。", "你好，请介绍一下你自己。", "我是小中，中山大学的助手。"),
    "ja": ("あなたは中山、大学のアシスタントです。", "自己紹介をしてください。",
           "私は中山、大学のアシスタントです。"),
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("filled", [True, False])
async def test_who_the_assistant_is_is_answered_however_far_the_references_are(
    tmp_path: Path, language: str, filled: bool
) -> None:
    """The second demonstration matters where nothing is within the threshold, too."""
    persona, question, wrote = ABOUT_ITSELF[language]
    answer = {"max_distance": 0.0001, "persona": persona, "fallback": ("refuse",)}
    async with AsyncRove.open(tmp_path, preset="campus", embedder={"name": "fake"}, answer=answer) as base:
        hours = "图书馆每天早上八点开门。"
        await base.add(*([Text(hours, title="图书馆")] if filled else []))
        async with serve(*[chat(f"{wrote} {hours} [1]")] * 2, chat(f"{hours} [1]")) as server:
            model = ChatSettings(model="m", base_url=server.url, timeout_s=2, retries=0)
            base.settings = base.settings.model_copy(update={"chat": model})
            told = await base.ask(question)
            assert (told.text, told.citations, told.hits) == (f"{wrote} […]", (), ()), "what is too far holds nothing"
            assert (hours in server.requests[0]["messages"][-1]["content"]) == filled
            usual = base.settings.answer.model_copy(update={"demonstrations": "usual"})
            chosen = base.settings
            base.settings = chosen.model_copy(update={"answer": usual})
            plain = await base.ask(question)
            assert (plain.mode, plain.text) == (CHITCHAT, f"“{persona}”")
            assert len(server.requests) == 1, "without the demonstration it is not asked"
            base.settings = chosen
            assert (await base.ask(f"{question} 图书馆几点开门？")).refused
            assert len(server.requests) == 1, "who asks for something else too is answered as ever"
            await base.ask(question)
            assert (await base.ask(question)).mode == CHITCHAT, "nothing that it wrote is the persona's"


@pytest.mark.parametrize(
    "question",
    ["Who are you sending to Oslo?", "Wer bist du eigentlich im Vergleich zu 1931?", "你是谁的学生？", "x" * 99],
)
def test_what_is_not_about_the_assistant(question: str) -> None:
    assert chitchat(question) is None


@pytest.mark.parametrize("separator", [",", "，", "、", ";", "；", ", "])
@pytest.mark.parametrize("resident", [1_000, 0])
async def test_a_text_of_keywords_is_a_list_that_sparse_search_looks_into(
    tmp_path: Path, separator: str, resident: int
) -> None:
    listed = separator.join(["校名", "校史", "简介"])
    records = {
        "r1": {
            "query": "学校叫什么？",
            "document": "本校于1924年创办。",
            "metadata": {"keywords": listed},
        },
        "r2": {"query": "食堂在哪？", "document": "食堂在校园东边。", "metadata": {"keywords": "饭堂"}},
    }
    (tmp_path / "r.json").write_text(json.dumps(records, ensure_ascii=False), "utf-8")
    store = {"index": "lancedb", "resident_chunks": resident}
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}, store=store) as base:
        await base.add(tmp_path / "r.json", Text("Rules.", id="t", metadata={"tags": f"opening hours{separator}fees"}))
        for word in ("校名", "校史", "简介"):
            hit = (await base.search(word, mode="sparse"))[0]
            assert hit.chunk.metadata["keywords"] == ("校名", "校史", "简介")
            assert "metadata" in hit.sources
            assert await base.search("学校", mode="keyword", where=field("keywords") == word)
        (hit,) = await base.search("What are the opening hours?", mode="sparse", where=field("tags").exists())
        assert (hit.chunk.document_id, hit.chunk.metadata["tags"]) == ("t", ("opening hours", "fees"))


@pytest.mark.parametrize("mode", ["keyword", "sparse", "semantic", "hybrid", "gather", "walk"])
def test_a_threshold_that_is_set_holds_in_every_mode(tmp_path: Path, mode: str) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}, answer={"mode": mode, "max_distance": 0.0001}) as base:
        base.add(CAMPUS)
        far = base.ask("图书馆")
    assert far.refused
    assert [note.code for note in far.notes] == ["too-far"]
    with Rove.open(tmp_path, embedder={"name": "fake"}, answer={"mode": mode, "max_distance": 1.9}) as base:
        near = base.ask("图书馆几点开门？")
    assert not near.refused
    assert "distance-unknown" not in {note.code for note in near.notes}


@pytest.mark.parametrize("mode", ["keyword", "sparse"])
def test_where_no_threshold_is_set_a_mode_without_distances_says_so(tmp_path: Path, mode: str) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}, answer={"mode": mode}) as base:
        base.add(CAMPUS)
        answer = base.ask("图书馆几点开门？")
    assert not answer.refused
    assert "distance-unknown" in {note.code for note in answer.notes}


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("怎样做红烧肉", "未进行检索"),
        ("How is pork braised?", "Nothing was searched"),
        ("Wie schmort man Schweinefleisch?", "Dazu wurde nicht gesucht"),
        ("Hogyan kell sertést párolni?", "Ehhez nem történt keresés"),
        ("豚肉はどうやって煮込みますか", "検索は行っていません"),
    ],
)
async def test_without_a_search_it_is_not_said_that_nothing_was_found(
    tmp_path: Path, question: str, begins: str
) -> None:
    async with (
        AsyncRove.open(tmp_path, embedder={"name": "fake"}, answer={"pipeline": "none"}) as base,
        serve(chat("One hour.")) as server,
    ):
        model = ChatSettings(model="m", base_url=server.url, timeout_s=2, retries=0)
        base.settings = base.settings.model_copy(update={"chat": model})
        answer = await base.ask(question)
        assert answer.text.startswith(begins)
        assert answer.text.endswith("One hour.")
        assert "No document was found" not in server.requests[0]["messages"][0]["content"]
        assert question in server.requests[0]["messages"][-1]["content"]
        base.settings = base.settings.model_copy(update={"chat": ChatSettings()})
        assert chat_model(base.settings.chat) is None
        with pytest.raises(ConfigError, match="none is configured"):
            await base.ask(question)
