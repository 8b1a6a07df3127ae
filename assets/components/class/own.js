// A question of the lecturer's own. Until it is asked it belongs to the browser: its boxes are made once, nothing in
// the class draws them anew, and the tab keeps their contents.

const OWN = "tokensteps.class.own"; // in the tab's storage
const CHOICES = [4, 6]; // at first, and at most
const QUESTION_LENGTH = 500, CHOICE_LENGTH = 200;

const OWN_KINDS = ["choices", "number", "free", "parts", "split"]; // how it is answered

class OwnQuestion {
  rows = []; // [radio, box] of each choice

  constructor(code, keeps = true) {
    [this.code, this.keeps] = [code, keeps];
    this.say = make("textarea", { rows: 2, maxLength: QUESTION_LENGTH, data: { do: "say" } });
    this.kind = make("select", {}, ...OWN_KINDS.map((value) => make("option", { value })));
    this.kinds = make("label", {}, make("span"), this.kind);
    this.kind.addEventListener("change", () => this.turn());
    this.answer = make("input", { maxLength: CHOICE_LENGTH, autocomplete: "off" });
    this.answers = make("label", { className: "answers" }, make("span"), this.answer);
    this.hint = make("p", { className: "soft" });
    this.none = make("input", { type: "radio", name: "ts-right", checked: true });
    this.opinion = make("label", { className: "choice soft" }, this.none, make("span"));
    this.more = make("button", { type: "button" });
    this.more.addEventListener("click", () => this.add());
    this.node = make("div", { className: "own", data: { key: "own" } }, this.say, this.kinds, this.answers, this.hint,
      this.opinion, this.more);
    this.node.addEventListener("input", () => this.keep());
    this.node.addEventListener("keydown", (event) => { // no key of the page's
      if (!["Escape", "Enter"].includes(event.key)) event.stopPropagation();
    });
    this.fill(this.saved());
  }

  // --- its contents
  fill({ say = "", choices = [], right = -1, kind = "choices", answer = "" }) {
    this.say.value = say;
    this.kind.value = OWN_KINDS.includes(kind) ? kind : "choices";
    this.answer.value = answer;
    for (const row of this.rows.splice(0)) row[0].parentElement.remove();
    while (this.rows.length < Math.max(choices.length, CHOICES[0])) this.choice(choices[this.rows.length]);
    (this.rows[right]?.[0] ?? this.none).checked = true;
    this.turn();
  }
  turn() { // the parts for this kind
    const kind = this.kind.value, chooses = kind === "choices";
    for (const node of [this.opinion, ...this.rows.map(([right]) => right.parentElement)]) node.hidden = !chooses;
    this.more.hidden = !chooses || this.rows.length >= CHOICES[1];
    this.answers.hidden = chooses || kind === "free";
    if (this.labels) this.name(this.labels);
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
    this.rows[first][1].focus({ preventScroll: true }); // the pressed button is gone
  }
  name(labels) { // in the language of the page
    this.labels = labels;
    this.say.ariaLabel = this.say.placeholder = labels.own_question;
    this.kinds.firstChild.textContent = labels.own_kind;
    [...this.kind.options].forEach((option) => { option.textContent = labels[`own_${option.value}`]; });
    this.hint.textContent = labels[{ choices: "own_hint", free: "own_free_hint", parts: "own_parts_hint",
      split: "own_split_hint" }[this.kind.value] ?? "own_number_hint"];
    this.answers.firstChild.textContent = labels[this.kind.value === "parts" ? "own_pieces" : "own_right"];
    this.opinion.lastChild.textContent = labels.no_right;
    this.more.textContent = labels.more_choices;
    this.rows.forEach(([right, box], index) => {
      box.ariaLabel = box.placeholder = filled(labels.choice, { number: index + 1 });
      right.ariaLabel = right.title = filled(labels.is_right, { number: index + 1 });
    });
  }
  written() {
    return { say: this.say.value, kind: this.kind.value, answer: this.answer.value,
      choices: this.rows.map(([, box]) => box.value),
      right: this.rows.findIndex(([right]) => right.checked) };
  }
  question(labels) { // as a class is asked, or {error}
    return questionOf(this.written(), labels);
  }
  empty() {
    this.fill({});
    this.keep();
  }

  // --- the tab's storage: a browser may keep nothing, and give back anything
  keep() {
    if (!this.keeps) return;
    try {
      sessionStorage.setItem(OWN, JSON.stringify({ ...this.written(), code: this.code }));
    } catch { /* then it is there as long as the page */ }
  }
  saved() {
    try {
      const { code, say, choices, right, kind, answer } = JSON.parse(sessionStorage.getItem(OWN)) ?? {};
      if (code !== this.code) return {};
      return { say: String(say ?? ""), choices: choices.slice(0, CHOICES[1]).map(String), right, kind,
        answer: String(answer ?? "") };
    } catch { return {}; }
  }
}

function questionOf({ say, choices, right, kind, answer }, labels) { // as a class is asked, or {error}
  const prompt = say.trim();
  if (kind !== "choices") return typedQuestion(kind, prompt, answer, labels);
  const options = choices.map((text, index) => ({ id: String(index + 1), text: [text.trim()] }))
    .filter(({ text }) => text[0]);
  if (!prompt || options.length < 2) return { error: labels.own_missing };
  if (new Set(options.map(({ text }) => text[0])).size < options.length) return { error: labels.own_twice };
  const key = right < 0 ? [] : [String(right + 1)];
  if (key.length && !options.some(({ id }) => id === key[0])) {
    return { error: filled(labels.right_empty, { number: right + 1 }) };
  }
  return { kind: "own", say: { "": [prompt] }, input: "choices", choices: options, key, tied: [] };
}
function typedQuestion(kind, prompt, answer, labels) { // one without choices, or {error}
  const question = { kind: "own", say: { "": [prompt] }, key: [], tied: [] }, text = answer.trim();
  if (!prompt) return { error: labels.own_empty };
  if (kind === "free") return { ...question, input: "free" };
  if (kind === "parts") {
    const parts = Number(text);
    if (!Number.isInteger(parts) || parts < 1 || parts > 20) return { error: labels.own_parts_wrong };
    return { ...question, input: "free", parts };
  }
  if (kind === "split") {
    const split = text.split(/\s+/), word = split.join("");
    const whole = split.flatMap(letters).length === letters(word).length; // a phone can cut it like this
    if (letters(word).length < 2 || word.length > 40 || !whole) return { error: labels.own_split_wrong };
    return { ...question, input: "text", word, key: split.length > 1 ? [split.join(" ")] : [] };
  }
  const number = text ? canonicalNumber(text) : null;
  if (text && number === null) return { error: labels.unread };
  return { ...question, input: "number", key: text ? [number] : [] };
}
