// A question of the lecturer's own. Until it has been asked it belongs to the browser: its boxes are made once, nothing
// that happens in the class draws them anew, and the tab keeps what is in them.

const OWN = "tokensteps.class.own"; // in the tab's storage
const CHOICES = [4, 6]; // at first, and at most
const QUESTION_LENGTH = 500, CHOICE_LENGTH = 200;

class OwnQuestion {
  rows = []; // [radio, box] of each choice

  constructor(code) {
    this.code = code;
    this.say = make("textarea", { rows: 2, maxLength: QUESTION_LENGTH, data: { do: "say" } });
    this.hint = make("p", { className: "soft" });
    this.none = make("input", { type: "radio", name: "ts-right", checked: true });
    this.opinion = make("label", { className: "choice soft" }, this.none, make("span"));
    this.more = make("button", { type: "button" });
    this.more.addEventListener("click", () => this.add());
    this.node = make("div", { className: "own", data: { key: "own" } }, this.say, this.hint, this.opinion, this.more);
    this.node.addEventListener("input", () => this.keep());
    this.node.addEventListener("keydown", (event) => { // no key of the page's
      if (!["Escape", "Enter"].includes(event.key)) event.stopPropagation();
    });
    this.fill(this.kept());
  }

  // --- what is in it
  fill({ say = "", choices = [], right = -1 }) {
    this.say.value = say;
    for (const row of this.rows.splice(0)) row[0].parentElement.remove();
    while (this.rows.length < Math.max(choices.length, CHOICES[0])) this.choice(choices[this.rows.length]);
    (this.rows[right]?.[0] ?? this.none).checked = true;
    this.more.hidden = this.rows.length >= CHOICES[1];
  }
  choice(value = "") {
    const right = make("input", { type: "radio", name: "ts-right" });
    const box = make("input", { value, maxLength: CHOICE_LENGTH, autocomplete: "off" });
    this.rows.push([right, box]);
    this.opinion.before(make("div", { className: "choice" }, right, box));
    if (this.labels) this.name(this.labels);
  }
  add() {
    const first = this.rows.length;
    while (this.rows.length < CHOICES[1]) this.choice();
    this.more.hidden = true;
    this.rows[first][1].focus({ preventScroll: true }); // what was pressed is gone
  }
  name(labels) { // in the language of the page
    this.labels = labels;
    this.say.ariaLabel = this.say.placeholder = labels.own_question;
    this.hint.textContent = labels.own_hint;
    this.opinion.lastChild.textContent = labels.no_right;
    this.more.textContent = labels.more_choices;
    this.rows.forEach(([right, box], index) => {
      box.ariaLabel = box.placeholder = filled(labels.choice, { number: index + 1 });
      right.ariaLabel = right.title = filled(labels.is_right, { number: index + 1 });
    });
  }
  written() {
    return { say: this.say.value, choices: this.rows.map(([, box]) => box.value),
      right: this.rows.findIndex(([right]) => right.checked) };
  }
  question(labels) { // as a class is asked, or {error}
    const { say, choices, right } = this.written(), said = say.trim();
    const given = choices.map((text, index) => ({ id: String(index + 1), text: [text.trim()] }))
      .filter(({ text }) => text[0]);
    if (!said || given.length < 2) return { error: labels.own_missing };
    const key = right < 0 ? [] : [String(right + 1)];
    if (key.length && !given.some(({ id }) => id === key[0])) {
      return { error: filled(labels.right_empty, { number: right + 1 }) };
    }
    return { kind: "own", say: { "": [said] }, input: "choices", choices: given, key, tied: [] };
  }
  empty() {
    this.fill({});
    this.keep();
  }

  // --- what the tab keeps: a browser may keep nothing, and give back anything
  keep() {
    try {
      sessionStorage.setItem(OWN, JSON.stringify({ ...this.written(), code: this.code }));
    } catch { /* then it is there as long as the page */ }
  }
  kept() {
    try {
      const { code, say, choices, right } = JSON.parse(sessionStorage.getItem(OWN)) ?? {};
      if (code !== this.code) return {};
      return { say: String(say ?? ""), choices: choices.slice(0, CHOICES[1]).map(String), right };
    } catch { return {}; }
  }
}
