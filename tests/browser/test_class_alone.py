"""The class strip's script on an empty page, with a room of the test's own: its memory of what was sent."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.waiting import until
from tokensteps.assets import read_asset, read_script
from tokensteps.classroom.questions import as_deck
from tokensteps.limits import LINK_LIMIT, PREPARED_AT
from tokensteps.teaching.classes.class_question import canonical_number
from tokensteps.teaching.questions import read_number

STRIP = """() => {
  globalThis.posts = [];
  globalThis.strip = Object.assign(Object.create(ClassStrip.prototype), {
    labels: { error_offline: "offline" }, timers: {}, votes: new Map(), saidLost: null, known: {}, said: [],
    update() {}, say(words) { this.said.push(words); },
    room: Object.assign(new Room("CDFHJK"), { role: "lecturer", refusal: "offline", state: { blank: false },
      async post(what, body) {
        posts.push([what, body]);
        if (this.refusal) throw new Refused(this.refusal);
        return {};
      } }),
  });
}"""


@pytest.fixture
def strip(open_page: Callable[..., Page]) -> Page:
    """A page with a strip in a class that can't be reached; fresh, since a test may take its clock."""
    page = open_page(fresh=True)
    page.route("**", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://localhost/")
    page.add_script_tag(
        content=read_script("class").replace("export default ", "").replace("const planHere", "var planHere")
    )
    page.evaluate(STRIP)
    return page


@pytest.mark.parametrize(("refusal", "tries"), [("offline", 2), ("often", 2), ("round", 1)])
def test_verdicts_are_sent_until_they_arrive(strip: Page, refusal: str, tries: int) -> None:
    strip.clock.install()
    strip.evaluate(
        """refusal => {
      strip.room.refusal = refusal;
      strip.onShown(document[SHOWN] = { judged: { round: 1, right: ["hugs"], wrong: [] } });
    }""",
        refusal,
    )
    strip.clock.run_for(1000)
    strip.evaluate("strip.room.refusal = ''")
    strip.clock.run_for(60_000)
    sent: list[Any] = strip.evaluate("posts")
    assert sent == [["judge", {"round": 1, "right": ["hugs"], "wrong": []}]] * tries


def test_the_plans_activity_is_sent_until_it_arrives(strip: Page) -> None:
    """Not before all is known that happened meanwhile."""
    walks = strip.evaluate(
        """async () => {
      planHere = () => "30.2";
      here = () => ({ page: "bpe", query: "" });
      const { room } = strip, look = async () => {
        strip.reportPlan();
        await new Promise((resolve) => setTimeout(resolve));
        return posts.length;
      };
      const numbers = [await look()];
      room.behind = true;
      numbers.push(await look());
      [room.behind, room.refusal] = [false, ""];
      return [...numbers, await look(), await look()];
    }"""
    )
    assert walks == [1, 1, 2, 2]


@pytest.mark.parametrize(
    "refusals", [["offline"], ["offline", ""], ["", "offline"], ["offline", "offline", ""], ["", ""]]
)
def test_a_switch_is_as_the_room_has_it(strip: Page, refusals: list[str]) -> None:
    """However often it is pressed before the answers. Oracle: the messages that arrived."""
    on, told = strip.evaluate(
        """async (refusals) => {
      const { room } = strip, arrived = [false];
      room.post = async (what, { on }) => {
        const refusal = refusals.shift();
        if (refusal) throw new Refused(refusal);
        if (on !== arrived.at(-1)) room.hear("blank", { on });
        arrived.push(on);
        return {};
      };
      await Promise.all(refusals.map(() => strip.turn("blank", "blank", "on")));
      return [room.state.blank === arrived.at(-1), strip.said];
    }""",
        refusals,
    )
    assert on and told == ["offline"] * sum(map(bool, refusals))


def test_nobody_seems_lost_unheard(strip: Page) -> None:
    assert strip.evaluate("strip.unsure().then(() => [strip.saidLost, strip.said])") == [None, ["offline"]]
    strip.evaluate("strip.room.refusal = ''")
    assert strip.evaluate("strip.unsure().then(() => strip.saidLost === strip.placeKey())")


def test_nothing_of_the_last_class_counts_in_the_next(strip: Page) -> None:
    """Its verdicts go to no other class, not even those still under way, and neither does a question being
    written."""
    strip.evaluate(
        """() => {
      strip.labels = new Proxy(strip.labels, { get: (own, name) => own[name] ?? String(name) });
      strip.wall = new Wall(strip);
      strip.update = () => strip.wall.update();
      strip.wall.open({ question: null, kinds: [] });
    }"""
    )
    own = strip.get_by_role("textbox", name="own_question")
    own.click()
    strip.keyboard.type("Of the last class?")
    votes, lost, sent = strip.evaluate(
        """async () => {
      document[SHOWN] = { judged: { round: 1, right: ["hugs"], wrong: [] } };
      strip.onShown(document[SHOWN]);
      await strip.unsure();
      strip.votes.set(1, {});
      strip.saidLost = strip.placeKey();
      posts.length = 0;
      Room.at = (code) => Object.assign(new Room(code), { post: strip.room.post });
      strip.enter("MNPRTW");
      strip.onShown(document[SHOWN]);
      const sent = posts.length;
      strip.onShown({});
      strip.onShown(document[SHOWN]);
      return [strip.votes.size, strip.saidLost, [sent, posts.length]];
    }"""
    )
    assert (votes, lost, sent) == (0, None, [0, 1])
    strip.evaluate("strip.update()")
    expect(own).to_be_hidden()
    strip.evaluate("strip.wall.open({ question: null, kinds: [] })")
    expect(own).to_have_value("")
    own.click()
    strip.keyboard.type("Of this one?")
    after_a_reload = strip.evaluate("['MNPRTW', 'CDFHJK'].map((code) => new OwnQuestion(code).written().say)")
    assert after_a_reload == ["Of this one?", ""]


@pytest.mark.parametrize("order", [["enter", "close"], ["close", "enter"]])
def test_a_room_stays_open_from_page_to_page(strip: Page, order: list[str]) -> None:
    """Whether the next page's strip comes before the last one's end, or after it; with the last strip, it
    closes."""
    strip.clock.install()
    strip.evaluate(
        """order => {
      Room.prototype.start = () => {};
      const page = document.documentElement, sizes = { disconnect() {} };
      const [last, next] = [0, 1].map(() => {
        const [box, live, blank] = ["div", "div", "div"].map((name) => document.createElement(name));
        const own = { box, live, blank, page, sizes, root: {}, timers: {}, gone: new AbortController() };
        return Object.assign(Object.create(ClassStrip.prototype), own);
      });
      last.enter("CDFHJK");
      const steps = { enter: () => next.enter("CDFHJK"), close: () => last.close() };
      for (const name of order) steps[name]();
      globalThis.next = next;
    }""",
        order,
    )
    strip.clock.run_for(60_000)
    assert strip.evaluate("!next.room.gone.signal.aborted && document[ROOM] === next.room")
    strip.evaluate("next.close()")
    strip.clock.run_for(60_000)
    assert strip.evaluate("next.room.gone.signal.aborted && !document[ROOM]")


def test_a_question_on_its_way_holds_its_own_run(strip: Page) -> None:
    """However that is looked at, and no other one, whether Python has named its page or not."""
    held = strip.evaluate(
        """() => {
      const held = [], box = document[MAIN] = make("div", {}, make("input", { type: "range", max: 9 }));
      document.body.append(box);
      box.addEventListener("tokensteps:hold", ({ detail }) => held.push(detail));
      Object.assign(strip, { page: document.documentElement, pending: 1, about: { page: "bpe", query: "corpus=hug" } });
      const pages = [["bpe", "corpus=hug"], ["bpe", "corpus=hug&watch=ug"], ["bpe", "corpus=course"], ["unigram", "corpus=hug"]];
      for (const place of [...pages.map(([page, query]) => ({ page, query })), null]) {
        here = () => place;
        strip.hold();
      }
      return held;
    }"""
    )
    assert held == [1, 1, None, None, None]


STREAMS = """() => {
  globalThis.streams = [];
  globalThis.EventSource = class extends EventTarget {
    static CLOSED = 2;
    readyState = 1;
    constructor(url) {
      super();
      streams.push(this);
    }
    close() { this.readyState = 2; }
    says(kind, data = {}) { this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) })); }
  };
}"""


@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_asked_of_a_class_that_has_ended(strip: Page, there: bool) -> None:
    """Neither by a page that hears the end, nor by one that comes after it."""
    strip.clock.install()
    strip.evaluate(STREAMS)
    strip.evaluate(
        """there => {
      globalThis.room = new Room("CDFHJK");
      room.open();
      streams[0].says("state", { ended: !there });
      if (there) streams[0].says("end");
      setInterval(() => room.look(), 1000);
    }""",
        there,
    )
    strip.clock.run_for(600_000)
    assert strip.evaluate("streams.map((one) => one.readyState)") == [2]


def test_no_question_comes_back_after_the_end(strip: Page) -> None:
    """When its time would have been over, or a late answer is refused."""
    strip.clock.install()
    strip.evaluate(
        """() => {
      const question = { input: "number", say: { "": "?" }, key: [] };
      strip.room.state = { round: { round: 1, state: "open", ends: Date.now() + 60_000, question } };
      globalThis.card = new Card(strip);
      card.update();
    }"""
    )
    expect(strip.locator(".ts-class-card")).to_be_visible()
    strip.evaluate("strip.room.state.ended = true; card.node.hidden = true")
    strip.clock.run_for(61_000)
    strip.evaluate("card.tick()")
    expect(strip.locator(".ts-class-card")).to_be_hidden()


def test_tasks_taken_back_from_two_devices(strip: Page) -> None:
    """The other device was faster: the panel closes, and nothing is sent."""
    strip.evaluate(
        """() => {
      strip.labels = new Proxy({}, { get: (_, name) => String(name) });
      strip.post = strip.room.post;
      strip.room.state.give = { page: "exercises", query: "", label: "Tasks", progress: { questions: [] } };
      new Panel(strip).turn("progress");
    }"""
    )
    strip.evaluate("strip.room.state.give = null")
    strip.get_by_role("button", name="take_back").click()
    expect(strip.get_by_role("dialog")).to_be_hidden()
    assert strip.evaluate("posts") == []


def test_an_animation_being_saved_leads_nobody(strip: Page) -> None:
    strip.evaluate(FOLLOWER)
    strip.evaluate("place('bpe'); document[SHOWN] = {}; strip.isTurning = () => false; strip.reported = ''")
    for pictured, sent in ((True, []), (False, ["place"])):
        strip.evaluate(
            "pictured => { document[MAIN].toggleAttribute('data-pictured', pictured); return strip.report(); }",
            pictured,
        )
        assert strip.evaluate("posts.map(([what]) => what)") == sent


def test_a_class_that_is_gone_leaves_no_screen_black(strip: Page) -> None:
    """As on the next day, where nobody has ended it: the page says why, and can be left."""
    strip.clock.install()
    strip.evaluate(STREAMS)
    strip.evaluate(
        """() => {
      globalThis.fetch = async (url) => url.endsWith("/join") ? new Response('{"device": "own"}')
        : new Response('{"error": "gone"}', { status: 404 });
      const own = { code: "MNPRTW", labels: new Proxy({}, { get: (_, name) => String(name) }) };
      globalThis.phone = new ClassStrip(document.body);
      phone.connect(own, (what) => { globalThis.sent = what; });
    }"""
    )
    strip.wait_for_function("streams.length")
    blank, reason = strip.locator(".ts-class-blank"), strip.locator(".ts-class .stop")
    strip.evaluate("streams[0].says('state', { blank: true })")
    expect(blank).to_be_visible()
    strip.evaluate("streams[0].close(); streams[0].says('error')")
    expect(reason).to_have_text("error_gone")
    expect(blank).to_be_hidden()
    strip.get_by_role("button", name="leave").click()
    assert strip.evaluate("sent") == "leave"


def test_a_refusal_stays_in_the_strip_until_it_is_read(strip: Page) -> None:
    """Whatever else happens in the class meanwhile."""
    strip.clock.install()
    strip.evaluate(STREAMS)
    strip.evaluate(
        """() => {
      globalThis.fetch = async () => new Response('{"device": "own"}');
      const own = { code: "MNPRTW", labels: new Proxy({}, { get: (_, name) => String(name) }) };
      globalThis.phone = new ClassStrip(document.body);
      phone.connect(own, () => {});
    }"""
    )
    strip.wait_for_function("streams.length")
    reason = strip.locator(".ts-class .stop")
    strip.evaluate(
        "streams[0].says('state', {}); phone.say('refused'); streams[0].says('blank', { on: false })"
    )
    expect(reason).to_have_text("refused")
    strip.clock.run_for(5000)
    expect(reason).to_have_text("waiting")


@pytest.mark.parametrize("ended", [False, True])
def test_nobody_leaves_a_class_that_has_ended(strip: Page, ended: bool) -> None:
    """A step of one's own lets go of a class, and the room hears of it; after the end there is nothing to
    leave."""
    sent = strip.evaluate(
        """ended => {
      strip.room.state = { follows: true, ended };
      strip.bounds = () => null;
      strip.post = strip.room.post;
      Object.assign(Object.create(Follower.prototype), { strip }).letGo();
      return posts;
    }""",
        ended,
    )
    assert sent == ([] if ended else [["mode", {"follows": False}]])


def test_a_student_stays_the_same_when_an_answer_is_cut_off(strip: Page) -> None:
    """As when the network is lost in the midst of it: the page asks again, and is known by its own device."""
    strip.clock.install()
    strip.evaluate(STREAMS)
    strip.evaluate(
        """() => {
      globalThis.answers = ["{", "<p>Log in to the Wi-Fi</p>", '{"device": "own", "number": 1}'];
      globalThis.fetch = async () => new Response(answers.shift());
      saved.set("CDFHJK", { device: "own" });
      globalThis.kept = () => [saved.get("CDFHJK").device, streams.length];
      globalThis.room = new Room("CDFHJK");
      room.start();
    }"""
    )
    strip.clock.run_for(500)
    assert strip.evaluate("kept()") == ["own", 0]
    strip.clock.run_for(10_000)
    assert strip.evaluate("kept()") == ["own", 1]


NUMBERS = (
    *("12", "0.05", "0,05", ".5", "1,234", "1,234.5", "-0.5", "\u22120.5", "\u20130.5", "1/20", "5/20*5", "5 / (20 \u00d7 5)", "5 / (20 x 5)", "1/2X3"),
    *("(5)/(20*5)", "\uff11\uff0f\uff12\uff10", "\u30002\u3000", "5\u3000/\u300020", "1 \u00f7 8", "2:8", "0.2^3", "0.2**3"),
    *("0.2\u00b3", "10\u207b\u00b2", "1.3 * 10^-3", "1e-3", "5 %", "\u2248 3.3", "= 7", "1 + 2*3", "2 - -3", "-(2)", "2^2^3"),
    *("11 times", "3\u6b21", "5 \u56de", "0.5 nats.", "1/8 = 0.125", "1/3 \u2248 0.33", "1/8 = 12.5 %", "2 = 2 = 4/2", "7 pairs = 7"),
    *("100/3 = 33", "1/3 = 33 %", "1/8 = 12 %", "1/3 = 0.3", "1/3 = 34 %", "1/8 = 0.2", "1/3 = 0.34", "3 = 4", "1 = = 1", "times", "2 times 3"),
    *("", "abc", "1 2", "1//2", "1/0", "(1", "1)", "()", "1,2,3", "2^0.5", "9^9^9", "5 5", "--", "%", "1 +", "-"),
)  # fmt: skip


def test_a_typed_number_is_the_one_that_predict_reads(strip: Page) -> None:
    shown = dict(zip(NUMBERS, strip.evaluate("texts => texts.map(canonicalNumber)", NUMBERS), strict=True))
    numbers = {text: read_number(text) for text in NUMBERS}
    assert [text for text in NUMBERS if shown[text] is None] == [
        text for text in NUMBERS if numbers[text] is None
    ]
    assert all(
        number is None or shown[text] in canonical_number(number.value) for text, number in numbers.items()
    )


@pytest.mark.parametrize(
    "word",
    [
        "hugs",
        "\u092c\u093f\u0932\u094d\u0932\u0940",
        "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7",
        "e\u0301te\u0301",
        "\U0001f44d\U0001f3fd!",
        "\u1112\u1161\u11ab",
    ],
)
def test_a_phone_can_cut_before_every_token(strip: Page, word: str) -> None:
    """Oracle: the tokens of words that Predict asks about; none begins with a combining mark."""
    places = [index for index in range(1, len(word)) if not unicodedata.category(word[index]).startswith("M")]
    pieces = [word[start:end] for start, end in zip([0, *places], [*places, len(word)], strict=True)]
    assert strip.evaluate("letters", word) == pieces
    split = strip.evaluate(
        """(word) => {
      const card = Object.assign(Object.create(Card.prototype),
        { strip: { room: { state: { round: { question: { word } } } } }, draft: "" });
      letters(word).slice(0, -1).forEach((_letter, index) => card.toggleCut(index));
      return card.draft;
    }""",
        word,
    )
    assert split == " ".join(pieces)
    own = strip.evaluate("split => typedQuestion('split', '?', split, {})", split)
    assert own["key"] == [split] and own["word"] == word


def test_a_joined_picture_is_one_letter(strip: Page) -> None:
    assert strip.evaluate("letters", "a\U0001f468\u200d\U0001f469b") == [
        "a",
        "\U0001f468\u200d\U0001f469",
        "b",
    ]
    wrong = strip.evaluate("typedQuestion('split', '?', 'e \u0301a', { own_split_wrong: 'no' })")
    assert wrong == {"error": "no"}


def test_a_number_near_enough_is_right_on_the_wall_and_on_the_phone(strip: Page) -> None:
    question = {"input": "number", "key": ["1230"], "near": [1222, 1247], "say": {"": "?"}}
    rows, told = strip.evaluate(
        """(question) => {
      const bars = ["1235", "1250", "1230"].map((answer) => ({ answer, count: 1 })), labels = { you_right: "Right." };
      const table = barsTable(labels, question, [{ bars, answered: 3 }], question);
      const card = Object.assign(Object.create(Card.prototype), { strip: { labels } });
      const nodes = card.outcome({ question, key: question.key, mine: "1235", right: true });
      return [[...table.tBodies[0].rows].map((row) => row.className), nodes[0].textContent];
    }""",
        question,
    )
    assert (rows, told) == (["right", "", "right"], "Right.")


@pytest.mark.parametrize(("language", "name"), [("en", "German"), ("zh-Hans", "德语"), ("fr", "German")])
def test_a_choice_is_in_its_readers_language(strip: Page, language: str, name: str) -> None:
    choice = {"id": "de", "text": ["ドイツ語"], "say": {"en": ["German"], "zh": ["德语"], "ja": ["ドイツ語"]}}
    shown = strip.evaluate(
        """([choice, language]) => {
      document.documentElement.lang = language;
      return answerNodes({ input: "choices", choices: [choice] }, "de")[0].textContent;
    }""",
        [choice, language],
    )
    assert shown == name


def test_those_who_come_after_the_last_answer_are_counted(strip: Page) -> None:
    counted = strip.evaluate(
        """() => {
      const round = { round: 1, state: "open", answered: 2, of: 2 }, people = { here: 2 };
      const node = make("section", {}, make("header", {}, make("b", { className: "time" })),
        make("p", { className: "counted" }, make("b")), make("p", { className: "meter" }, make("i")));
      const labels = { answered: "{number} of {of}" }, room = { state: { round, people } };
      const wall = Object.assign(Object.create(Wall.prototype), { node, strip: { labels, room } });
      const looks = [2, 7, 1].map((here) => { people.here = here; wall.tick(); return node.querySelector(".counted").textContent; });
      round.state = "shown";
      people.here = 9;
      wall.tick();
      return [...looks, node.querySelector(".counted").textContent];
    }"""
    )
    assert counted == ["2 of 2", "2 of 7", "2 of 2", "2 of 2"]


def test_a_prepared_questions_address_is_whole_or_refused(page: Page) -> None:
    """It has room for a link with the longest text; the server takes what the browser keeps."""
    page.goto("about:blank")
    page.add_script_tag(content=read_script("deck").replace("export default ", ""))
    link, long = (
        f"https://host.example/bpe?corpus=paste&text={'a' * many}" for many in (LINK_LIMIT, PREPARED_AT)
    )
    at, refused, kept = page.evaluate(
        """(links) => {
      const ways = links.map((value) => Deck.prototype.address.call({ at: { value }, next: { pages: { bpe: "bpe" } } }));
      return [...ways, tidyQuestion({ say: "?", at: ways[0] })];
    }""",
        [link, long],
    )
    assert at == kept["at"] == link.removeprefix("https://host.example/") and refused is None
    assert as_deck({"questions": [kept]})["questions"][0]["at"] == at
    assert page.evaluate("MOST_AT") == PREPARED_AT


def test_results_are_saved_or_an_error_is_shown(page: Page) -> None:
    page.goto("about:blank")
    page.add_script_tag(
        content=read_script("classroom").replace("export default ", "").replace("const api", "var api")
    )
    told, files = page.evaluate(
        """async () => {
      const files = [], told = [], answers = [() => Promise.reject(new TypeError()),
        () => new Response('{"error": "often"}', { status: 429 }), () => new Response("a,b")];
      api = () => "";
      hand = (blob, name) => files.push([name, blob.size]);
      fetch = async () => answers.shift()();
      const page = Object.assign(Object.create(Classroom.prototype), { code: "CDFHJK", wrong: make("p"),
        labels: { error_offline: "No network.", error_often: "Too many." } });
      while (answers.length) {
        await page.save("csv");
        told.push(page.wrong.textContent);
      }
      return [told, files];
    }"""
    )
    assert told == ["No network.", "Too many.", ""] and files == [["class-CDFHJK-answers.csv", 3]]


def test_an_open_questions_answer_is_not_given_away(page: Page) -> None:
    """By the results, which may be on the wall: its bars come with the class's, its answer with the
    revelation."""
    page.goto("about:blank")
    page.add_script_tag(content=read_script("classroom").replace("export default ", ""))
    told = page.evaluate(
        """() => {
      const labels = new Proxy({ share_right: "RIGHT", right: "RIGHT" }, { get: (own, name) => own[name] ?? String(name) });
      const results = Object.assign(Object.create(Classroom.prototype),
        { labels, next: { pages: {} }, wrong: make("p") });
      const question = { kind: "own", input: "number", say: { "": ["How many?"] }, key: ["57"] };
      const bars = [{ answer: "20", count: 1 }], place = {};
      return [["open"], ["shown"], ["revealed"], ["shown", true], ["revealed", false, "open"]].map(([state, ended, again]) => {
        const round = (number, state) => ({ round: number, first: 1, question, place, state, bars, answered: 1, of: 1, right: 0 });
        const rounds = [round(1, state), ...(again ? [round(2, again)] : [])];
        const said = results.summary({ rounds, runs: [], joined: 1, ended, code: "CDFHJK" })
          .map((node) => node.textContent).join(" ");
        return [/57|RIGHT/.test(said), said.includes("20")];
      });
    }"""
    )
    assert told == [[False, False], [False, True], [True, True], [True, True], [False, False]]


def test_a_class_of_the_day_before_has_no_results(page: Page) -> None:
    page.route("**", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://localhost/")
    page.add_script_tag(content=read_script("classroom").replace("export default ", ""))
    offered = page.evaluate(
        """() => {
      const hours = (number) => Date.now() - number * 3_600_000;
      saved.set("CDFHJK", { key: "k", at: hours(25) });
      saved.set("GHJKMN", { key: "k", at: hours(23), over: true });
      saved.set("PRTWXY", { device: "d" });
      const offered = Classroom.prototype.classes();
      localStorage.clear();
      return offered;
    }"""
    )
    assert offered == ["GHJKMN"]


def test_two_choices_are_not_the_same(page: Page) -> None:
    page.goto("about:blank")
    page.add_script_tag(content=read_script("class").replace("export default ", ""))
    written = {"say": "Is it?", "choices": ["yes", "no", "yes ", ""], "right": 0, "kind": "choices"}
    assert page.evaluate("written => questionOf(written, { own_twice: 'twice' })", written) == {
        "error": "twice"
    }


def test_the_last_prepared_question_is_removed_from_both_devices(strip: Page) -> None:
    """A device with questions of its own still brings them into a class without any."""
    posts: list[Any] = strip.evaluate(
        """() => {
      strip.room.refusal = "";
      const heard = (questions) => { strip.room.state.deck = questions; strip.shareDeck(); };
      deck.keep([{ id: "1", say: "Why?" }]);
      heard([]);
      const own = deck.all();
      heard(own);
      heard([]);
      return [posts.map(([what, { questions }]) => [what, questions.length]), deck.all().length];
    }"""
    )
    assert posts == [[["deck", 1]], 0]


def test_a_number_has_one_right_answer(strip: Page) -> None:
    """The key has it rounded, too."""
    words: list[str] = strip.evaluate(
        """() => {
      const labels = new Proxy({}, { get: (_, name) => String(name) });
      const card = Object.assign(Object.create(Card.prototype), { strip: { labels } });
      const question = { input: "number", say: { "": ["?"] } }, key = ["0.143", "0.14"];
      return [null, "0.14", "0.15"].map((mine) => card.outcome({ question, key, mine, right: mine === "0.14" })
        .filter(Boolean).at(-1).textContent);
    }"""
    )
    assert words == ["right_answer 0.143"] * 3


@pytest.mark.parametrize(("votes", "width"), [(2, 800), (3, 800), (6, 800), (3, 390)])
def test_the_bars_of_all_votes_are_to_one_scale(strip: Page, votes: int, width: int) -> None:
    """Of one question that was voted on again and again. Oracle: as many votes for the answer each time."""
    strip.set_viewport_size({"width": width, "height": 700})
    strip.add_style_tag(content=read_asset("page/class.css"))
    widths: list[float] = strip.evaluate(
        """votes => {
      const labels = new Proxy({ vote: "Vote {number}" }, { get: (own, name) => own[name] ?? String(name) });
      const round = { bars: [{ answer: "20", count: 9 }], answered: 9 };
      document.body.append(barsTable(labels, { kind: "count" }, Array(votes).fill(round), { key: ["20"] }));
      return [...document.querySelectorAll("tbody .bar")].map((bar) => bar.getBoundingClientRect().width);
    }""",
        votes,
    )
    assert len(widths) == votes and min(widths) > 30 and max(widths) - min(widths) < 2


RESULTS = """() => {
  Room.prototype.start = () => {};
  globalThis.fetch = async (url) => new Response(JSON.stringify(
    { code: url.match(/(\\w+).summary/)[1], joined: 1, rounds: [], runs: [], lost: [] }));
  saved.set("CDFHJK", { key: "k" });
  saved.set("MNPRTW", { key: "k" });
  const labels = new Proxy({ summary: "Class {code}" }, { get: (own, name) => own[name] ?? String(name) });
  globalThis.run = () => classroom({ data: { code: "MNPRTW", labels }, parentElement: document.body });
  run();
}"""
"""A page of classes, its lecturer's of one under way and of an earlier one; `run`: Python draws it."""


def test_earlier_results_stay_while_they_are_read(open_page: Callable[..., Page]) -> None:
    """Whatever happens in the present class, until it ends: its lecturer comes to its results."""
    page = open_page(fresh=True)
    page.route("**", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://localhost/")
    page.clock.install()
    page.add_script_tag(content=read_script("classroom").replace("export default ", ""))
    page.evaluate(RESULTS)
    head = page.get_by_role("heading", name="Class")
    expect(head).to_have_text("Class MNPRTW")
    page.get_by_role("button", name="Class CDFHJK").click()
    expect(head).to_have_text("Class CDFHJK")
    page.evaluate("document[ROOM].tell('lost')")  # a student has tapped “You lost me”
    for happens in ("document[ROOM].tell('state')", "run()"):
        page.evaluate(happens)
        page.clock.run_for(60_000)
        expect(head).to_have_text("Class CDFHJK")
    page.evaluate("document[ROOM].tell('end')")
    page.clock.run_for(60_000)
    expect(head).to_have_text("Class MNPRTW")


def test_a_full_storage_loses_no_key_and_no_question(strip: Page) -> None:
    """Earlier entries stay; an entry without room lasts as long as the page."""
    strip.evaluate(
        """() => {
      saved.set("GHJKMN", { device: "d" });
      Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
      saved.set("CDFHJK", { key: "k" });
      deck.keep([{ id: "1", say: "Why?" }]);
    }"""
    )
    assert strip.evaluate("[saved.get('CDFHJK').key, saved.get('GHJKMN').device]") == ["k", "d"]
    assert strip.evaluate("deck.all().map(({ say }) => say)") == ["Why?"]


def test_a_link_is_copied_without_https(strip: Page) -> None:
    """The browser's clipboard object is for https alone; what is copied can be pasted."""
    strip.set_content("<button>Copy</button><textarea></textarea>")
    strip.evaluate(
        """() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.querySelector("button").onclick = () => { globalThis.copied = putOnClipboard("http://x/?class=C"); };
    }"""
    )
    strip.get_by_role("button").click()
    assert strip.evaluate("copied")
    strip.get_by_role("textbox").click()
    strip.keyboard.press("ControlOrMeta+v")
    assert strip.get_by_role("textbox").input_value() == "http://x/?class=C"


def test_the_enter_that_ends_a_composition_sends_nothing(strip: Page) -> None:
    """In Safari it comes after the composition's end, with a composition's key code (WebKit bug 165004)."""
    codes = "[[true, 229], [false, 229], [true, 13], [false, 13]]"
    told = f"{codes}.map(([composes, keyCode]) => isComposing({{ isComposing: composes, keyCode }}))"
    assert strip.evaluate(told) == [True, True, True, False]


def test_a_key_is_found_without_latin_letters(strip: Page) -> None:
    """A Russian, Greek or Hebrew keyboard: the letter at the key's place. A Turkish or French one has its
    own; there, a clicker's full stop comes as a colon."""
    keys = [("P", "KeyP"), ("з", "KeyP"), ("π", "KeyP"), ("פ", "KeyP"), ("ı", "KeyI"), ("q", "KeyA"), ("?", "Digit7"), ("PageDown", "PageDown"), (":", "Period"), (":", "Semicolon")]  # fmt: skip
    result = strip.evaluate("keys => keys.map(([key, code]) => keyOf({ key, code }))", keys)
    assert result == ["p", "p", "p", "p", "ı", "q", "?", "PageDown", ".", ":"]


def test_a_text_is_cut_between_characters(strip: Page) -> None:
    assert strip.evaluate("[1, 2, 3, 4].map((most) => shortened('a🤗b', most))") == ["a", "a", "a🤗", "a🤗b"]


def test_a_nickname_in_the_making_stays(strip: Page) -> None:
    """A question may come in between; another class has a card of its own, with its own question."""
    strip.evaluate(
        """() => {
      const { room } = strip;
      strip.labels = new Proxy({}, { get: (_, name) => String(name) });
      room.state.nicknames = true;
      strip.card = new Card(strip);
      strip.card.update();
      globalThis.ask = (round) => {
        room.state.round = round && { round, state: "open", mine: null, question: { say: "Why?", input: "free" } };
        room.put = 0;
        strip.card.update();
      };
    }"""
    )
    box = strip.get_by_role("textbox", name="nickname")
    box.click()
    strip.keyboard.type("Ada")
    strip.evaluate("ask(1)")
    words = strip.get_by_role("textbox", name="your_words")
    words.click()
    strip.keyboard.type("Because")
    strip.evaluate("ask(null)")
    assert box.input_value() == "Ada"
    strip.evaluate("ask(1)")
    strip.evaluate(
        "strip.room = Object.assign(new Room('GHJKMN'), { state: { ...strip.room.state } }); strip.card.update()"
    )
    assert words.input_value() == ""
    strip.evaluate("strip.room.state.round = null; strip.card.update()")
    strip.evaluate("strip.room = Object.assign(new Room('PQRSTV'), { state: strip.room.state })")
    strip.evaluate("strip.card.node.replaceChildren(); strip.card.update()")
    assert box.is_visible()


@pytest.mark.parametrize("answers", [True, False])
def test_a_server_on_this_device_needs_no_network(strip: Page, answers: bool) -> None:
    """A laptop without Wi-Fi says that it is offline; only without an answer is the class out of reach."""
    strip.unroute_all()
    strip.route("**/_stcore/health", lambda route: route.fulfill(body="ok") if answers else route.abort())
    strip.evaluate("Object.defineProperty(navigator, 'onLine', { value: false })")
    with strip.expect_request("**/_stcore/health"):
        strip.evaluate("dispatchEvent(new Event('offline'))")
    if not answers:
        strip.wait_for_function("strip.room.isAway()")
    assert strip.evaluate("fetch('/_stcore/health').then(() => true, () => false)") is answers
    assert strip.evaluate("strip.room.isAway()") is not answers


def test_a_network_that_goes_while_the_server_answers_is_lost(strip: Page) -> None:
    """The one look at the server may be answered from before; a server on this device may be there later."""
    strip.clock.install()
    strip.unroute_all()
    strip.evaluate("Object.defineProperty(navigator, 'onLine', { value: false })")
    answers = [True]
    strip.route("**/_stcore/health", lambda route: route.fulfill(body="ok") if answers[-1] else route.abort())
    with strip.expect_response("**/_stcore/health"):
        strip.evaluate("dispatchEvent(new Event('offline'))")
    for answer in (False, True):
        answers.append(answer)
        until(
            lambda answer=answer: strip.clock.run_for(5000) or strip.evaluate("strip.room.offline") != answer
        )


def test_patience_begins_when_the_page_rests(strip: Page) -> None:
    """However long a page is drawn after Back, its stage is the last address's until then."""
    strip.clock.install()
    strip.set_content('<div class="stApp" data-test-connection-state="CONNECTED"></div>')
    strip.evaluate("strip.turned = performance.now()")
    for state, seconds, is_turning in (
        ("running", 60, True),
        ("notRunning", 14, True),
        ("notRunning", 2, False),
    ):
        strip.evaluate(
            "state => { document.querySelector('.stApp').dataset.testScriptState = state; }", state
        )
        strip.clock.run_for(1000 * seconds)
        assert strip.evaluate("strip.isTurning()") is is_turning
    strip.evaluate("document.querySelector('.stApp').dataset.testConnectionState = 'DISCONNECTED'")
    assert not strip.evaluate("isDrawing()"), "nobody draws it"


FOLLOWER = """() => {
  const box = make("div", {}, make("input", { type: "range", max: 9, value: 0 }));
  globalThis.app = make("div", { className: "stApp", data: { testConnectionState: "CONNECTED", testScriptState: "running" } });
  document.body.append(app, box);
  document[MAIN] = box;
  globalThis.leads = [];
  Object.assign(strip, { lead: ({ page, step }) => leads.push(`${page} ${step}`), stepOfClass: () => undefined });
  strip.room.state = { follows: true };
  globalThis.follower = new Follower(strip);
  globalThis.place = (page) => {
    here = () => ({ page, query: "mode=predict" });
    strip.room.place = { page, query: "mode=predict", step: 1 };
  };
}"""
"""A student's page in Predict, at step 0 of a stage that Python alone takes further; `place` puts it and the
class on another page, there at step 1. Python is drawing."""


def test_the_same_step_of_another_run_is_asked_for(strip: Page) -> None:
    """Also where the page has come there without an answer to its request, or after it was given up."""
    strip.evaluate(FOLLOWER)
    for page in ("bpe", "wordpiece"):
        strip.evaluate(
            "page => { follower.going = null; place(page); follower.follow(); follower.look(); }", page
        )
    assert strip.evaluate("leads") == ["bpe 1", "wordpiece 1"]


def test_an_unheard_request_for_a_step_is_repeated(strip: Page) -> None:
    """After 15 seconds of rest, however long the page was being drawn before."""
    strip.clock.install()
    strip.evaluate(FOLLOWER)
    strip.evaluate("place('bpe'); follower.follow()")
    for state, seconds, times in (("running", 60, 1), ("notRunning", 14, 1), ("notRunning", 2, 2)):
        strip.evaluate("state => { app.dataset.testScriptState = state; }", state)
        for _ in range(seconds):
            strip.clock.run_for(1000)
            strip.evaluate("follower.look()")
        assert strip.evaluate("leads") == ["bpe 1"] * times


def test_a_reload_leads_nobody_out_of_their_own_tasks(strip: Page) -> None:
    """The room may tell of itself before Python has named the page."""
    strip.evaluate(FOLLOWER)
    strip.evaluate(
        """() => {
      history.replaceState(null, "", "/exercises?seed=2");
      place("exercises");
      document[MAIN] = null; // there is no stage
      here = () => null;
      strip.room.state.give = { ...strip.room.place, questions: 8 };
      follower.back();
      here = () => ({ page: "exercises", query: "seed=2" });
      follower.follow();
    }"""
    )
    assert strip.evaluate("[follower.going, leads]") == [None, []]


def test_a_student_on_a_slow_way_elsewhere_is_let_go(strip: Page) -> None:
    """However long the other page is being drawn."""
    strip.clock.install()
    strip.evaluate(FOLLOWER)
    strip.evaluate("place('bpe'); follower.step(); follower.going = null; leads.length = 0")
    strip.mouse.click(1, 1)
    strip.evaluate("here = () => null")
    for _ in range(60):
        strip.clock.run_for(1000)
        strip.evaluate("follower.look()")
    strip.evaluate("here = () => ({ page: 'unigram', query: '' }); follower.look()")
    assert strip.evaluate("[strip.room.state.follows, leads]") == [False, []]
