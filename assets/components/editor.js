// The editor: a text box that reports its text during typing, and never loses a letter to Python's answers. It shows
// Python's text when it mounts or when the nonce is new; otherwise the text is the browser's. Each key asks the server
// for the chips of the text, one question at a time; the page follows when the typing pauses. The box itself is
// CodeMirror's: it lays out only the lines in sight; a <textarea> needs seconds for a million characters.

const REPORTS = Symbol.for("tokensteps.editor.reports"); // on the document: each box's last report
const LARGE = 200_000, SELECTED = 50; // characters, ms
const TYPING = ["input.type", "delete.backward", "delete.forward"]; // more may come soon after these: it is waited for
const GAP = 70; // ms between two questions: no more than the server draws for one box, even while a key is held
const PAUSE = 300, LONGEST_PAUSE = 2_000; // ms from the last key until the page follows, or twice the time of the chips
const WAITS = new Set([200, 429, 503]); // drawn, or too much to do: the page needn't follow at once
const RESET = 205; // the server no longer has the text before the change
const LATE = "data-ts-typed"; // on the root: the page shows less than was typed
const pause = (size) => (size < 20_000 ? 40 : size < LARGE ? 100 : 500); // where the chips come with the page alone
const MARKUP = `<p id="label"></p><div class="field"></div><p id="hint"></p>`;
const ATTRIBUTES = {
  "aria-describedby": "hint", spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off",
};

// Python counts code points, a text box UTF-16 units.
const isPair = (text, index) =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
function pointsIn(text, from, to) {
  let count = 0;
  for (let index = from; index < to; index += isPair(text, index) ? 2 : 1) count++;
  return count;
}
function after(text, from, points) {
  let index = from;
  for (; points > 0 && index < text.length; points--) index += isPair(text, index) ? 2 : 1;
  return index;
}

// Each line runs the way of its first letter.
const directions = ({ Decoration, EditorView, ViewPlugin }) => {
  const automatic = Decoration.line({ attributes: { dir: "auto" } });
  const inSight = ({ state, visibleRanges }) => {
    const lines = new Set();
    for (const { from, to } of visibleRanges)
      for (let pos = from; pos <= to; pos = state.doc.lineAt(pos).to + 1) lines.add(state.doc.lineAt(pos).from);
    return Decoration.set([...lines].map((pos) => automatic.range(pos)));
  };
  const plugin = class {
    constructor(view) {
      this.decorations = inSight(view);
    }
    update({ view, docChanged, viewportChanged }) {
      if (docChanged || viewportChanged) this.decorations = inSight(view);
    }
  };
  const decorations = (one) => one.decorations;
  return [EditorView.perLineTextDirection.of(true), ViewPlugin.fromClass(plugin, { decorations })];
};

class Editor extends Component {
  reports = (document[REPORTS] ??= {});
  name; // the box's, in Python
  nonce; // of Python's last text
  params = []; // of the address: they follow the typing
  size = 0; // of the text as last told
  requestedAt = -Infinity; // when the server was last asked for chips
  dirty = false; // whether there is something to tell
  at = 0; // how often the text was changed
  base; // the server's one of these texts, if any,
  edits; // and the changes since
  asking = false; // whether it is drawing chips
  whole = false; // whether the last change was pasting or undoing
  apart = false; // whether something was put in last
  inserted; // the number of Python's last text put in
  synced = false; // whether Python knows the text of this box
  selected = "";
  still = false; // whether a place comes into sight in the box alone, and the page doesn't move

  constructor(root) {
    super(root, "ts-editor", MARKUP);
    [this.label, this.field, this.hint] = ["#label", ".field", "#hint"].map((selector) => this.part(selector));
    const { signal } = this.gone;
    this.field.addEventListener("focusout", () => this.tell());
    this.field.addEventListener("compositionend", () => this.later("composed", 0, () => this.dirty && this.ask()));
    document.addEventListener("tokensteps:range", ({ detail }) => this.select(detail), { signal });
    document.addEventListener("tokensteps:drawn", () => this.isDrawn() && this.late(false), { signal });
    onEntry((event) => replaceIfOnly(this.params, event), signal);
    signal.addEventListener("abort", () => {
      this.view?.destroy();
      this.late(false);
    });
  }
  async load({ script, labels }) { // once; Python's messages meanwhile wait for it
    try {
      this.library ??= await import(new URL(script, document.baseURI));
    } catch {
      this.hint.textContent = labels.failed;
      return;
    }
    if (!this.gone.signal.aborted && !this.view) this.build();
  }
  build() {
    const { Annotation, Compartment, EditorState, EditorView } = this.library;
    const { drawSelection, history, historyKeymap, keymap, standardKeymap } = this.library;
    const tell = { key: "Mod-Enter", run: () => (this.tell(), true) };
    this.fromPython = Annotation.define(); // on Python's changes
    this.words = new Compartment();
    const state = EditorState.create({
      extensions: [
        history({ joinToEvent: (_change, beside) => this.joins(beside) }),
        drawSelection(), keymap.of([tell, ...historyKeymap, ...standardKeymap]),
        EditorView.lineWrapping, directions(this.library), this.words.of([]),
        EditorView.contentAttributes.of(ATTRIBUTES),
        EditorView.updateListener.of((update) => this.follow(update)),
        EditorView.scrollHandler.of((view, range) => this.still && this.scrollTo(view, range)),
      ],
    });
    this.view = new EditorView({ state, parent: this.field, root: this.root });
  }

  // --- typing
  follow({ changes, docChanged, selectionSet, transactions }) {
    if (docChanged && !transactions.some((one) => one.annotation(this.fromPython))) {
      this.at++;
      this.edits = this.edits?.compose(changes) ?? changes;
      this.whole = !transactions.some((one) => TYPING.some((event) => one.isUserEvent(event)));
      this.dirty = true;
      this.late(true);
      this.ask();
    }
    if (selectionSet || docChanged) this.later("select", SELECTED, () => this.tellSelection());
  }
  tellSoon(after) {
    this.dirty = true;
    if (!this.view.composing) this.later("tell", after, () => this.tell());
  }
  // The server draws the chips of the typed text; asked once more if that is another text by now.
  async ask() {
    const { at, path, nonce, view } = this;
    if (view.composing || this.asking) return;
    this.cancel("tell");
    // Pasted or undone text is whole: nothing is waited for.
    if (!path || !document[DRAWN]) return void this.tellSoon(this.whole ? 0 : pause(view.state.doc.length));
    const start = performance.now(), early = this.requestedAt + GAP - start;
    if (early > 0) return void this.later("ask", early, () => this.ask());
    this.requestedAt = start;
    const body = JSON.stringify({ nonce, at, ...this.change() });
    [this.asking, this.base, this.edits] = [true, undefined, undefined];
    setUnsent(this, true);
    const status = await this.drawn(path, body);
    setUnsent(this, false);
    this.asking = false;
    if (this.gone.signal.aborted) return;
    if (nonce !== this.nonce) return void (this.dirty && this.ask());
    if (status === 200) this.base = at;
    if (status === 404) delete document[DRAWN]; // until the page has drawn them again
    if (status === RESET || (status === 200 && at !== this.at)) return void this.ask();
    const wait = Math.min(Math.max(PAUSE, 2 * (performance.now() - start)), LONGEST_PAUSE);
    if (this.dirty) this.tellSoon(this.whole || !WAITS.has(status) ? 0 : wait);
  }
  async drawn(path, body) { // returns the status of HTTP, 0 without an answer
    try {
      const headers = { "Content-Type": "application/json" }, { signal } = this.gone;
      const request = fetch(new URL(path, new URL(".", location.href)), { method: "POST", body, headers, signal });
      document.dispatchEvent(new CustomEvent("tokensteps:request", { detail: request })); // see connection.js
      const answer = await request;
      if (answer.status === 200)
        document.dispatchEvent(new CustomEvent("tokensteps:typed", { detail: await answer.text() }));
      return answer.status;
    } catch {
      return 0;
    }
  }
  change() { // since the server's text, or all of it
    const { base, edits, view: { state: { doc } } } = this;
    if (base === undefined || !edits) return { base: null, put: this.wellFormed };
    let [from, to, first, last] = [Infinity, 0, 0, 0];
    edits.iterChangedRanges((fromA, toA, fromB, toB) => {
      if (from === Infinity) [from, first] = [fromA, fromB];
      [to, last] = [toA, toB];
    });
    if (from === Infinity) from = 0; // typed and undone
    const pair = (index) => index && isPair(doc.sliceString(index - 1, index + 1), 0); // stays whole
    if (pair(first)) [from, first] = [from - 1, first - 1];
    if (pair(last)) [to, last] = [to + 1, last + 1];
    return { base, from, to, put: doc.sliceString(first, last).toWellFormed() };
  }
  isDrawn() { // whether the page shows the text as it is
    const [nonce, at] = document[DRAWN] ?? [];
    return nonce === this.nonce && at === this.at;
  }
  late(on) {
    document.documentElement.toggleAttribute(LATE, on);
  }
  tell() {
    this.cancel("tell");
    if (!this.dirty || this.view.composing || !this.root.isConnected) return;
    const { at, nonce, wellFormed: text } = this; // with half of a UTF-16 pair, Streamlit would drop the whole message
    [this.dirty, this.size, this.reports[this.name]] = [false, text.length, { nonce, text, at }];
    this.send("text", [nonce, text, at]);
  }
  get wellFormed() {
    return this.text.toWellFormed();
  }
  get text() {
    return this.view.state.doc.toString();
  }

  // --- the selection, here and elsewhere on the page
  tellSelection() {
    const { state } = this.view, { from, to } = state.selection.main, now = `${from} ${to}`;
    if (state.doc.length >= LARGE || now === this.selected || !this.root.isConnected) return;
    this.selected = now;
    const value = this.text, start = pointsIn(value, 0, from), end = start + pointsIn(value, from, to);
    document.dispatchEvent(new CustomEvent("tokensteps:selection", { detail: { start, end } }));
  }
  select({ start, end }) { // without taking the focus
    if (!this.view) return;
    const { text } = this, from = after(text, 0, start), to = after(text, from, end - start);
    this.still = true;
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.requestMeasure({ read: () => { this.still = false; } });
  }
  scrollTo(view, { head }) {
    const coords = view.coordsAtPos(head), part = view.scrollDOM, box = part.getBoundingClientRect();
    if (coords && (coords.top < box.top || coords.bottom > box.bottom))
      part.scrollTop += (coords.top - box.top - box.height / 3) / view.scaleY;
    return true;
  }

  // --- from Python
  async receive(next) {
    const { labels } = next;
    [this.label.textContent, this.hint.textContent] = [labels.label, labels.hint];
    this.latest = next;
    if (!this.view) await this.load(next);
    if (!this.view || this.latest !== next) return;
    this.take(next);
  }
  take(next) {
    [this.name, this.params, this.path] = [next.key, next.params, next.desk];
    this.word(next.labels);
    if (next.nonce !== this.nonce) {
      this.put(next);
    } else {
      // Another session, after a restart of the server: say it once more.
      if (this.synced && !next.heard) this.tellSoon(PAUSE);
      this.synced = next.heard;
    }
    this.putIn(next.insert);
  }
  putIn([number, text]) { // at the caret
    const fresh = this.inserted !== undefined && number !== this.inserted;
    this.inserted = number;
    if (!fresh) return;
    this.apart = true;
    const change = this.view.state.replaceSelection(text);
    this.view.dispatch({ ...change, scrollIntoView: true, userEvent: "input.paste" });
    this.view.focus();
  }
  joins(beside) { // typing is undone together, but not with the text put in just before
    const joins = beside && !this.apart;
    this.apart = false;
    return joins;
  }
  word({ label, placeholder }) {
    if (label === this.worded?.label && placeholder === this.worded.placeholder) return;
    this.worded = { label, placeholder };
    const { EditorView, placeholder: inEmpty } = this.library;
    const words = [inEmpty(placeholder), EditorView.contentAttributes.of({ "aria-label": label })];
    this.view.dispatch({ effects: this.words.reconfigure(words) });
  }
  put(next) { // Python's text, or the typed one
    const old = this.reports[next.key], { doc } = this.view.state, first = this.nonce === undefined;
    // The page's layout may have put the box up again while Python knows the typed text: Python's text is an older one.
    this.synced = first && next.heard && old?.nonce === next.nonce;
    [this.nonce, this.dirty, this.at, this.base, this.edits] = [next.nonce, false, this.synced ? old.at : 0];
    for (const what of ["tell", "ask"]) this.cancel(what);
    this.late(false);
    this.view.dispatch({
      changes: { from: 0, to: doc.length, insert: this.synced ? old.text : next.text },
      selection: { anchor: 0 },
      annotations: [this.fromPython.of(true), this.library.Transaction.addToHistory.of(!first)],
    });
    this.view.scrollDOM.scrollTop = 0;
    this.size = this.view.state.doc.length;
  }
}

export default function editor({ data, parentElement: root, setStateValue }) {
  return mount(Editor, root, data, setStateValue);
}
