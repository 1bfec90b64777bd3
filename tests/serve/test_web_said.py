"""What the server says in English, in the language of the page: notes, reasons, problems and their cures."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from importlib import import_module

import pytest
import pytest_asyncio

from rove import correction_operations, errors, review_operations
from rove.conversation import respond
from rove.evaluate.dataset import resolve
from rove.flow import check, flow_plan
from rove.flow import scope as flow_scope
from rove.flow import step as flow_step
from rove.records.ledger import OUTCOMES
from rove.records.note import catalogue
from rove.serve import awaiting_key, caller_view, problems, space_folder
from rove.serve.administration import model_trials, settings_file, space_routes, space_settings, status_routes
from rove.serve.admission import callers, cookies, middleware, rate_limits, request_body
from rove.serve.conversations import kept
from rove.serve.conversations import schema as conversation_schema
from rove.serve.documents import care, jobs, reindex, second_pass, upload
from rove.serve.evaluations import folders, measuring, runner
from rove.serve.flows import caller_flows, flow_draft, flow_files, served, skeletons
from rove.serve.pages import pictures
from rove.serve.pages import routes as drawn_pages
from rove.serve.pages.web_page import FOLDER
from rove.serve.people import key_routes, passwords, people_routes, roles, session_routes, sign_in_delays
from rove.serve.questions import asking, databases
from rove.serve.redaction import public_cure
from rove.serve.walks import live_walks
from rove.store import conversation_log, made_keys, people_log
from serve.browser import Visit, ask, held, unfolded, walked
from serve.conftest import settled

SLOT = re.compile(r"\{(\w+)(?:![a-z])?(?::[^}]*)?\}")
flow_run = import_module("rove.flow.run")  # the package has a function of this name
SENTENCES: dict[str, dict[str, str]] = json.loads((FOLDER / "lang" / "sentences.json").read_text("utf-8"))
SAYING = (
    jobs, respond, second_pass,
    conversation_schema,
    flow_run, flow_scope, flow_step, served, errors,
)  # fmt: skip
REFUSING = (
    request_body, asking, callers, drawn_pages, measuring, runner, middleware, upload, pictures, problems, resolve,
    folders, rate_limits, caller_view, live_walks, kept, conversation_log, care, reindex,
    space_folder, space_routes, correction_operations, space_settings, settings_file, model_trials, status_routes,
    awaiting_key, caller_flows, databases, cookies, key_routes, passwords, people_routes, roles, session_routes,
    sign_in_delays, people_log, made_keys, check, flow_plan, flow_draft, flow_files, skeletons,
    review_operations,
)  # fmt: skip
"""Modules whose sentences are problems and cures that a reader of the page can meet."""
SENTENCE = re.compile(r"[A-Z{].* .*\.")
LANGUAGES = ("de", "hu", "zh", "ja")
ASKED = {
    "en": "Who approves remote work within five days?",
    "de": "Wer genehmigt die Fernarbeit innerhalb von fünf Tagen?",
    "hu": "Ki hagyja jóvá a távmunkát öt napon belül?",
    "zh": "谁在五天内批准远程工作？",
    "ja": "五日以内に在宅勤務を承認するのは誰ですか？",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("said")) as opened:
        yield opened


def said() -> Iterator[str]:
    """The sentences and reasons that the modules hold: their constants of more than one word."""
    for module in SAYING:
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, str) and " " in value:
                yield SLOT.sub(r"{\1}", value)


def refused() -> Iterator[str]:
    """The sentences in these modules' code, as a client gets them; a slot is called by the last word in it."""
    for module in REFUSING:
        tree = ast.parse(inspect.getsource(module))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if id(node) not in docs | parts and SENTENCE.fullmatch(text := written(node)):
                yield public_cure(text)


def written(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return f"{{{re.findall(r'[A-Za-z_]+', ast.unparse(node.value))[-1]}}}"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_each_sentence_of_the_server_is_said_in_each_language() -> None:
    assert {*said(), *refused()} == set(SENTENCES)
    for english, told in SENTENCES.items():
        assert list(told) == list(LANGUAGES), english
        for text in told.values():
            assert set(SLOT.findall(text)) <= set(SLOT.findall(english)), text


def test_each_outcome_is_said_in_each_language() -> None:
    for language in ("en", *LANGUAGES):
        words = json.loads((FOLDER / "lang" / f"{language}.json").read_text("utf-8"))
        for outcome in OUTCOMES:
            assert words[f"outcome.{outcome}"]
            assert words[f"outcome.{outcome}.text"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("language", ASKED)
async def test_the_note_of_an_answer_is_in_the_language_of_the_question(visit: Visit, language: str) -> None:
    async with visit.page(locale="de") as page:
        await ask(page, ASKED[language])
        note = page.locator(".made [lang]")
        await note.wait_for()
        assert await note.get_attribute("lang") == language
        said = await note.inner_text()
        assert any(said.startswith(one.partition("{")[0]) for one in catalogue(language).values() if one[0] != "{")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("language", "wanted"), [("de", "Stand vom {}"), ("ja", "{} 時点の内容"), ("en", "as it was on {}")]
)
async def test_a_source_whose_file_is_empty_by_now_says_from_when_it_is(
    visit: Visit, language: str, wanted: str
) -> None:
    async with visit.town.client("root") as client:
        for data in (b"The ferry to the lighthouse leaves at seven every morning.", b""):
            given = [("files", ("ferry.txt", data))]
            job = await settled(client, "hr", await client.post("/v1/spaces/hr/uploads", files=given))
    assert job["sources"][0]["outcome"] == "empty"
    day = datetime.now(UTC).date().isoformat()
    async with visit.page(locale=language) as page:
        await ask(page, "When does the ferry to the lighthouse leave?")
        await page.wait_for_selector(".source-card .badge")
        assert wanted.format(day) in await page.locator(".source-card").first.inner_text()
        assert day in await page.locator(".made").inner_text()


@pytest.mark.asyncio(loop_scope="module")
async def test_why_a_walk_did_what_it_did_is_in_the_language_of_the_question(visit: Visit) -> None:
    async with visit.page("walk/new", locale="de") as page:
        await walked(page, "Who approves the merger with Nordwind, and who approves remote work?")
        await unfolded(page)
        assert catalogue("en")["no-fact-answers"] in await page.locator(".judged").first.inner_text()


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_not_known_stays_as_it_came_and_is_marked(visit: Visit) -> None:
    """A sentence with English in it is told around that; one that is not known is English to its end."""
    step = SENTENCES["The step {key}: {reason}"]["hu"]
    text = "The step 'a': <b>Host</b> is gone. Try 2.0!"
    async with visit.page(locale="hu") as page:
        drawn = "async (text) => (await import('/web/said.js')).said(text).innerHTML"
        told = await page.evaluate(drawn, text)
        assert told.startswith(step.format(key="'a'", reason=""))
        assert told.rstrip().endswith('<span lang="en">&lt;b&gt;Host&lt;/b&gt; is gone. Try 2.0!</span>')
        assert await page.evaluate(drawn, "Brand new. Delete some of them.") == (
            '<span lang="en">Brand new. Delete some of them.</span>'
        )
        joined = [SENTENCES[one]["hu"] for one in ("Delete some of them.", "List your conversations.")]
        assert (
            await page.evaluate(drawn, "Delete some of them. List your conversations.") == f"{joined[0]} {joined[1]} "
        )


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("told", "german"),
    [
        (
            "questions: no document of the base is named 'nobody.md', 'a.b' and 3 more.",
            "questions: Kein Dokument der Basis heißt 'nobody.md', 'a.b'<span lang=\"en\"> and 3 more</span>. ",
        ),
        ("'an.na' does not have the right 'read' here.", "'an.na' hat hier das Recht 'read' nicht. "),
        ("Give `access` with some of: a.b, c.", "Geben Sie `access` an, mit einigen von: a.b, c. "),
        ('The question "<b>it\'s</b>" has 12 characters.', 'Die Frage "&lt;b&gt;it\'s&lt;/b&gt;" hat 12 Zeichen. '),
    ],
)
async def test_what_stands_in_a_problem_stays_as_it_is(visit: Visit, told: str, german: str) -> None:
    async with visit.page(locale="de") as page:
        assert await page.evaluate("async (t) => (await import('/web/said.js')).said(t).innerHTML", told) == german


@pytest.mark.asyncio(loop_scope="module")
async def test_a_problem_and_its_cure_are_in_the_pages_language(visit: Visit) -> None:
    async with visit.page("documents", holder="nobody", locale="de") as page:
        notice = page.locator(".notice.refused")
        assert "'nobody' hat hier das Recht 'read' nicht." in await notice.inner_text()
        assert "Bitten Sie einen Administrator" in await notice.locator(".cure").inner_text()
        assert await notice.locator("[lang=en]").count() == 0


@pytest.mark.asyncio(loop_scope="module")
async def test_why_an_evaluation_failed_is_in_the_pages_language(visit: Visit) -> None:
    table = {"table": {"name": "q.csv", "text": "question,source\nWho?,nobody.md\n"}}
    async with visit.town.client() as client:
        await client.post("/v1/spaces/hr/evaluations", json=table, headers={"accept": "text/event-stream"})
    async with visit.page("lab", locale="zh") as page:
        card = page.locator(".list .card", has=page.locator(".badge.bad"))
        assert "q：知识库中没有名为 'nobody.md' 的文档。" in await card.inner_text()
        assert "请查看现有的文档" in await card.inner_text()
        assert await card.locator("[lang=en]:not(:empty)").count() == 0


@pytest.mark.asyncio(loop_scope="module")
async def test_why_a_source_was_not_read_is_said_by_its_type_first(visit: Visit) -> None:
    async with visit.page("documents", locale="ja") as page:
        card = page.locator(".card", has_text="not-there.pdf")
        assert await card.locator(".badge.bad").inner_text() == "読み取れません"
        assert (
            await card.locator("p:not([lang])").inner_text() == "存在しないか、サーバーに読み取りが許可されていません。"
        )
        assert "does not exist" in await card.locator("p[lang=en]").inner_text()
