// Questions for a class, prepared before the lesson: written, put in order, attached to a plan's activity or to a page
// and step. The browser keeps them; Python reads a file of them.

class Deck extends Component {
  editing = null; // the id of the question in the form; "" for a new one

  constructor(root) {
    super(root, "deck", "");
    this.list = make("ol", {});
    this.form = make("div", { className: "form", hidden: true });
    this.actions = make("div", { className: "actions" });
    this.live = make("p", { className: "said" });
    this.live.setAttribute("role", "status");
    this.file = make("input", { type: "file", accept: ".toml", hidden: true });
    this.file.addEventListener("change", () => this.read());
    this.box.append(this.list, this.actions, this.live, this.form, this.file);
    this.box.addEventListener("click", ({ target }) => this.onClick(target.closest("button")));
    for (const kind of ["dragstart", "dragover", "drop", "dragend"]) {
      this.list.addEventListener(kind, (event) => this.onDrag(event));
    }
    const { signal } = this.gone; // another tab may have changed it
    addEventListener("storage", ({ key }) => { if (key === DECK) this.draw(); }, { signal });
    document.addEventListener("tokensteps:deck", () => { if (this.labels) this.draw(); }, { signal }); // or device
  }
  connect(next, send) {
    [this.next, this.labels, this.send] = [next, next.labels, send];
    const { read } = next;
    if (read && read.nonce !== this.taken && read.nonce === this.requested) {
      this.taken = read.nonce;
      if (read.error) this.say(read.error);
      else {
        const before = deck.all(), here = new Set(before.map((one) => asToml([one])));
        deck.keep([...before, ...read.questions.map(tidyQuestion).filter((one) => !here.has(asToml([one])))]);
        this.say(filled(this.labels.read, { number: deck.all().length - before.length })); // as many as are kept
      }
    }
    this.draw();
  }
  say(words) {
    this.live.textContent = words;
  }
  where({ activity, at }) {
    return [this.next.activities.find(([name]) => name === activity)?.[1], at].filter(Boolean).join(" · ");
  }
  button(what, words, title = words) {
    return make("button", { type: "button", textContent: words, ariaLabel: title, title, data: { do: what } });
  }
  draw() {
    const { labels } = this, all = deck.all(), action = this.root.activeElement?.dataset.do;
    put(this.list, all.map((one, index) => { // an unchanged part is the same node: a hand may be on it
      const name = shortened(one.say, 80), row = make("li", { draggable: true, data: { id: one.id } },
        make("span", { className: "grip", ariaHidden: "true", textContent: "⠿" }),
        make("div", {}, make("p", { textContent: one.say }), make("p", { className: "soft", textContent:
          [labels[`own_${one.kind}`], this.where(one)].filter(Boolean).join(" · ") })),
        this.button(`up:${index}`, "↑", filled(labels.move_up, { name })),
        this.button(`down:${index}`, "↓", filled(labels.move_down, { name })),
        this.button(`edit:${index}`, labels.edit, `${labels.edit}: ${name}`),
        this.button(`drop:${index}`, "×", filled(labels.delete, { name })));
      row.querySelector("[data-do^=up]").ariaDisabled = String(index === 0);
      row.querySelector("[data-do^=down]").ariaDisabled = String(index === all.length - 1);
      return row;
    }));
    put(this.actions, [this.button("new", labels.write), this.button("open", labels.open_file),
      ...(all.length ? [this.button("save", labels.save_file)] : [])]);
    if (action) this.box.querySelector(`[data-do="${action}"]`)?.focus({ preventScroll: true });
    if (this.own) this.name();
  }

  // --- the form: it stays as it is while somebody types
  edit(id) {
    if (this.own && this.contents() !== this.before) { // nothing written is lost by a click on another question
      this.own.say.focus();
      return;
    }
    const one = deck.all().find((question) => question.id === id), { labels } = this;
    this.editing = id;
    this.own = new OwnQuestion("", false);
    this.own.fill(one ?? {});
    this.activity = make("select", {}, make("option", { value: "", textContent: labels.any_activity }),
      ...this.next.activities.map(([value, textContent]) => make("option", { value, textContent })));
    this.activity.value = one?.activity ?? "";
    this.at = make("input", { value: one?.at ?? "", autocomplete: "off", spellcheck: false });
    this.wrong = make("p", { className: "wrong" });
    this.wrong.setAttribute("role", "alert");
    this.form.replaceChildren(this.own.node, make("label", {}, make("span"), this.activity),
      make("label", {}, make("span"), this.at), this.wrong,
      make("div", { className: "actions" }, this.button("keep", labels.keep), this.button("cancel", labels.cancel)));
    this.form.hidden = false;
    this.name();
    this.before = this.contents();
    this.own.say.focus();
  }
  contents() {
    return JSON.stringify([this.own.written(), this.activity.value, this.at.value]);
  }
  name() {
    const { labels } = this;
    this.own.name(labels);
    this.activity.parentElement.firstChild.textContent = labels.activity;
    this.at.parentElement.firstChild.textContent = labels.at;
    this.at.placeholder = "bpe?corpus=hug&step=1";
  }
  keep() {
    const written = this.own.written(), { labels } = this, { error } = questionOf(written, labels), at = this.address();
    if (error || at === null) {
      this.wrong.textContent = error || labels.at_wrong;
      return;
    }
    const all = deck.all(), index = all.findIndex(({ id }) => id === this.editing);
    const question = tidyQuestion({ ...withoutGaps(written), id: this.editing || undefined,
      activity: this.activity.value, at });
    if (index < 0 && all.length >= MOST_PREPARED) {
      this.wrong.textContent = labels.full;
      return;
    }
    all.splice(index < 0 ? all.length : index, index < 0 ? 0 : 1, question);
    deck.keep(all);
    this.shut(question.id);
  }
  shut() {
    [this.own, this.form.hidden] = [null, true];
    this.form.replaceChildren();
    this.draw();
    this.box.querySelector('[data-do="new"]').focus();
  }
  address() { // as the file has it, out of a link to a page of the app; null for none
    const text = this.at.value.trim();
    if (!text) return "";
    const [path, query = ""] = text.split("?"), params = new URLSearchParams(query.split("#")[0]);
    const segment = path.replace(/\/+$/, "").split("/").pop();
    const page = Object.entries(this.next.pages).find(([name, way]) => way === segment || name === segment)?.[0];
    for (const name of ["class", "walk", "lang"]) params.delete(name);
    const result = page && (params.size ? `${page}?${params}` : page);
    return result && result.length <= MOST_AT ? result : null; // cut short, it would lead to a damaged text
  }

  // --- order
  move(from, to) {
    const all = deck.all();
    if (to < 0 || to >= all.length || from === to) return;
    all.splice(to, 0, ...all.splice(from, 1));
    deck.keep(all);
    this.draw();
    this.say(filled(this.labels.moved, { number: to + 1, of: all.length }));
  }
  onDrag(event) {
    const row = event.target.closest?.("li"), rows = [...this.list.children];
    if (event.type === "dragstart" && row) {
      this.dragged = rows.indexOf(row);
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", row.dataset.id);
    } else if (event.type === "dragover" && this.dragged !== undefined) event.preventDefault();
    else if (event.type === "drop" && row && this.dragged !== undefined) {
      event.preventDefault();
      this.move(this.dragged, rows.indexOf(row));
    } else if (event.type === "dragend") this.dragged = undefined;
  }
  onClick(button) {
    const [what, which] = (button?.dataset.do ?? "").split(":"), index = Number(which);
    if (!what || button.ariaDisabled === "true") return;
    if (what === "new") this.edit("");
    else if (what === "edit") this.edit(deck.all()[index].id);
    else if (what === "keep") this.keep();
    else if (what === "cancel") this.shut();
    else if (what === "open") this.file.click();
    else if (what === "save") hand(new Blob([asToml(deck.all())], { type: "application/toml" }), "questions.toml");
    else if (what === "drop") {
      deck.keep(deck.all().filter((_one, position) => position !== index));
      this.draw();
      this.box.querySelector('[data-do="new"]').focus();
    } else {
      this.move(index, index + (what === "up" ? -1 : 1));
      this.box.querySelector(`[data-do="${what}:${index + (what === "up" ? -1 : 1)}"]`)?.focus();
    }
  }
  async read() {
    const [file] = this.file.files;
    this.file.value = "";
    if (!file) return;
    if (file.size > this.next.limit) {
      this.say(this.labels.error_large);
      return;
    }
    this.requested = `${performance.now()}`;
    const text = await file.arrayBuffer();
    try {
      this.send("file", { nonce: this.requested, name: file.name, text: UTF8.decode(text) });
    } catch { // in another encoding, it would be garbled
      this.say(filled(this.labels.error_encoding, { place: file.name }));
    }
  }
}
const UTF8 = new TextDecoder("utf-8", { fatal: true });

function withoutGaps({ choices, right, ...rest }) { // empty choices go
  const full = choices.map((text, index) => [text.trim(), index]).filter(([text]) => text);
  return { ...rest, choices: rest.kind === "choices" ? full.map(([text]) => text) : [],
    right: full.findIndex(([, index]) => index === right) };
}
function asToml(questions) { // TOML's strings are JSON's, but for one character
  const quoted = (text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
  return questions.map(({ say, kind, choices, right, answer, activity, at }) => {
    const graded = kind === "choices" ? choices[right] : kind !== "free" && answer.trim();
    const number = kind === "number" ? canonicalNumber(answer) : kind === "parts" && Number(answer);
    return ["[[question]]", `ask = ${quoted(say)}`, `by = ${quoted(kind)}`,
      kind === "choices" && `choices = [${choices.map(quoted).join(", ")}]`,
      graded && `answer = ${number || quoted(graded)}`, activity && `activity = ${quoted(activity)}`,
      at && `at = ${quoted(at)}`].filter(Boolean).join("\n");
  }).join("\n\n") + "\n";
}

export default function deckPage({ data, parentElement: root, setTriggerValue }) {
  return mount(Deck, root, data, setTriggerValue);
}
