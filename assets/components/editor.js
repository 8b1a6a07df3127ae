// The editor: a text box that reports its text while somebody types, and never loses a letter to Python's answers.
// It shows the text that Python gave when it mounts or when the nonce is new; otherwise the text is the browser's.
// The box itself is CodeMirror's, which lays out the lines in sight alone: a <textarea> needs seconds for a million
// characters.

const KEPT = Symbol.for("tokensteps.editor.kept"); // on the document: what was reported last from each box
const LARGE = 200_000, SELECTED = 50; // characters, ms
const TYPING = ["input.type", "delete.backward", "delete.forward"]; // after which more may come soon: it is waited for
const pause = (size) => (size < 20_000 ? 40 : size < LARGE ? 100 : 500);
const MARKUP = `<p id="label"></p><div class="field"></div><p id="hint"></p>`;
const ATTRIBUTES = {
  "aria-describedby": "hint", spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off",
};

// Python counts code points, a text box UTF-16 units.
const isPair = (text, at) =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
function pointsIn(text, from, to) {
  let count = 0;
  for (let at = from; at < to; at += isPair(text, at) ? 2 : 1) count++;
  return count;
}
function after(text, from, points) {
  let at = from;
  for (; points > 0 && at < text.length; points--) at += isPair(text, at) ? 2 : 1;
  return at;
}

// Each line runs the way of its first letter.
const directions = ({ Decoration, EditorView, ViewPlugin }) => {
  const automatic = Decoration.line({ attributes: { dir: "auto" } });
  const inSight = ({ state, visibleRanges }) => {
    const lines = new Set();
    for (const { from, to } of visibleRanges)
      for (let at = from; at <= to; at = state.doc.lineAt(at).to + 1) lines.add(state.doc.lineAt(at).from);
    return Decoration.set([...lines].map((at) => automatic.range(at)));
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
  kept = (document[KEPT] ??= {});
  name; // the box's, in Python
  nonce; // of the text that Python gave last
  params = []; // of the address, which follow the typing
  size = 0; // of the text as last told
  dirty = false; // whether there is something to tell
  apart = false; // whether something was put in last
  inserted; // the number of the text that Python had put in last
  told = false; // whether Python knows the text of this box
  selected = "";
  still = false; // whether a place comes into sight in the box alone, and the page doesn't move

  constructor(root) {
    super(root, "ts-editor", MARKUP);
    [this.label, this.field, this.hint] = ["#label", ".field", "#hint"].map((selector) => this.part(selector));
    const { signal } = this.gone;
    this.field.addEventListener("focusout", () => this.tell());
    this.field.addEventListener("compositionend", () => this.tellSoon());
    document.addEventListener("tokensteps:range", ({ detail }) => this.select(detail), { signal });
    onEntry((event) => replaceIfOnly(this.params, event), signal);
    signal.addEventListener("abort", () => this.view?.destroy());
  }
  async load({ script, labels }) { // once; what Python says meanwhile waits for it
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
    this.given = Annotation.define(); // on a change that Python made
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

  // --- what is typed
  follow({ docChanged, selectionSet, transactions }) {
    if (docChanged && !transactions.some((one) => one.annotation(this.given))) {
      const typed = transactions.some((one) => TYPING.some((event) => one.isUserEvent(event)));
      this.tellSoon(typed ? pause(this.view.state.doc.length) : 0); // what is pasted or undone is whole
    }
    if (selectionSet || docChanged) this.later("select", SELECTED, () => this.tellSelection());
  }
  tellSoon(after = pause(this.view.state.doc.length)) {
    this.dirty = true;
    if (!this.view.composing) this.later("tell", after, () => this.tell());
  }
  tell() {
    this.cancel("tell");
    if (!this.dirty || this.view.composing || !this.root.isConnected) return;
    const { nonce } = this;
    const text = this.text.toWellFormed(); // with half of a UTF-16 pair, Streamlit would drop the whole message
    [this.dirty, this.size, this.kept[this.name]] = [false, text.length, { nonce, text }];
    this.send("text", [nonce, text]);
  }
  get text() {
    return this.view.state.doc.toString();
  }

  // --- what is selected, here and elsewhere on the page
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
    const place = view.coordsAtPos(head), part = view.scrollDOM, box = part.getBoundingClientRect();
    if (place && (place.top < box.top || place.bottom > box.bottom))
      part.scrollTop += (place.top - box.top - box.height / 3) / view.scaleY;
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
    [this.name, this.params] = [next.key, next.params];
    this.word(next.labels);
    if (next.nonce !== this.nonce) {
      this.put(next);
    } else {
      if (this.told && !next.heard) this.tellSoon(); // another session, after a restart of the server: say it once more
      this.told = next.heard;
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
  joins(beside) { // what is typed is undone together, but not with what was put in just before
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
  put(next) { // Python's text, or what was typed
    const old = this.kept[next.key], { doc } = this.view.state, first = this.nonce === undefined;
    // The page's layout may have put the box up again while Python knows what was typed: Python's text is an older one.
    this.told = first && next.heard && old?.nonce === next.nonce;
    [this.nonce, this.dirty] = [next.nonce, false];
    this.cancel("tell");
    this.view.dispatch({
      changes: { from: 0, to: doc.length, insert: this.told ? old.text : next.text },
      selection: { anchor: 0 },
      annotations: [this.given.of(true), this.library.Transaction.addToHistory.of(!first)],
    });
    this.view.scrollDOM.scrollTop = 0;
    this.size = this.view.state.doc.length;
  }
}

export default function editor({ data, parentElement: root, setStateValue }) {
  return mount(Editor, root, data, setStateValue);
}
