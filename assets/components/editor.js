// The editor: a text box that reports its text while somebody types, and never loses a letter to Python's answers.
// It shows the text that Python gave when it mounts or when the nonce is new; otherwise the text is the browser's.

const KEPT = Symbol.for("tokensteps.editor.kept"); // on the document: what was reported last from each box
const LARGE = 200_000, SHOWN = 200, SELECTED = 50; // characters, lines, ms
const pause = (size) => (size < 20_000 ? 60 : size < LARGE ? 250 : 700);
const MARKUP = `<label for="text"></label>
  <div class="field">
    <textarea id="text" rows="4" dir="auto" spellcheck="false" autocapitalize="off" autocomplete="off"
      autocorrect="off" aria-describedby="hint"></textarea>
    <div class="marks"><div></div></div></div>
  <p id="hint"></p>`;

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

class Editor extends Component {
  kept = (document[KEPT] ??= {});
  name; // the box's, in Python
  nonce; // of the text that Python gave last
  params = []; // of the address, which follow the typing
  size = 0; // of the text as last told: reading the text costs
  dirty = false; // whether there is something to tell
  told = false; // whether Python knows the text of this box
  composing = false;
  selected = "";

  constructor(root) {
    super(root, "ts-editor", MARKUP);
    [this.label, this.area, this.hint] = ["label", "textarea", "p"].map((selector) => this.part(selector));
    [this.field, this.marks] = [this.part(".field"), this.part(".marks > div")];
    this.listenToTyping();
    this.listenToSelection();
    const { signal } = this.gone;
    globalThis.navigation?.addEventListener("navigate", (event) => replaceIfOnly(this.params, event), { signal });
  }

  // --- what is typed
  listenToTyping() {
    const { area } = this;
    area.addEventListener("input", () => this.tellSoon());
    area.addEventListener("blur", () => this.tell());
    area.addEventListener("compositionstart", () => {
      this.composing = true;
      this.cancel("tell");
    });
    area.addEventListener("compositionend", () => {
      this.composing = false;
      this.tellSoon();
    });
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      this.tell();
    });
  }
  tellSoon() {
    this.dirty = true;
    if (!this.composing) this.later("tell", pause(this.size), () => this.tell());
  }
  tell() {
    this.cancel("tell");
    if (!this.dirty || this.composing || !this.root.isConnected) return;
    const { nonce } = this;
    const text = this.area.value.toWellFormed(); // with half of a UTF-16 pair, Streamlit would drop the whole message
    [this.dirty, this.size, this.kept[this.name]] = [false, text.length, { nonce, text }];
    this.send("text", [nonce, text]);
  }

  // --- what is selected, here and elsewhere on the page
  listenToSelection() {
    const { area } = this, { signal } = this.gone;
    area.addEventListener("scroll", () => this.placeMarks());
    for (const event of ["input", "focus"]) area.addEventListener(event, () => this.mark([]));
    new ResizeObserver(() => this.mark([])).observe(area);
    const select = () => this.later("select", SELECTED, () => this.tellSelection());
    for (const event of ["selectionchange", "select", "keyup", "click"]) area.addEventListener(event, select);
    document.addEventListener("tokensteps:range", ({ detail }) => this.select(detail), { signal });
  }
  tellSelection() {
    if (this.size >= LARGE || !this.root.isConnected) return;
    const { value, selectionStart: from, selectionEnd: to } = this.area, now = `${from} ${to}`;
    if (now === this.selected || value.length >= LARGE) return;
    this.selected = now;
    const start = pointsIn(value, 0, from), end = start + pointsIn(value, from, to);
    document.dispatchEvent(new CustomEvent("tokensteps:selection", { detail: { start, end } }));
  }
  select({ start, end }) { // without taking the focus
    const text = this.area.value, from = after(text, 0, start), to = after(text, from, end - start), held = focused();
    this.area.setSelectionRange(from, to);
    if (focused() !== held) held?.focus({ preventScroll: true });
    this.mark(from < to ? this.boxesOf(text, from, to) : []);
  }
  boxesOf(text, from, to) { // where a place lies, only layout knows: a mirror of the text box tells
    const mirror = document.createElement("div"), place = document.createRange(), line = text.indexOf("\n", to);
    mirror.className = "mirror";
    mirror.style.width = `${this.area.clientWidth}px`;
    mirror.textContent = line < 0 ? text : text.slice(0, line);
    this.field.append(mirror);
    place.setStart(mirror.firstChild, from);
    place.setEnd(mirror.firstChild, to);
    const { left, top } = mirror.getBoundingClientRect(), zoom = mirror.currentCSSZoom ?? 1; // see projector.css
    const boxes = [...place.getClientRects()].slice(0, SHOWN).map((box) => ({
      left: (box.left - left) / zoom,
      top: (box.top - top) / zoom,
      width: box.width / zoom,
      height: box.height / zoom,
    }));
    mirror.remove();
    return boxes;
  }
  mark(boxes) { // browsers don't show the selection of a text box without the focus
    const { area, marks } = this;
    marks.replaceChildren(...boxes.map((box) => {
      const mark = document.createElement("i");
      for (const side in box) mark.style[side] = `${box[side]}px`;
      return mark;
    }));
    if (!boxes.length) return;
    const { top } = boxes[0], end = boxes.at(-1).top + boxes.at(-1).height, view = area.clientHeight;
    const hidden = top < area.scrollTop || end > area.scrollTop + view;
    if (hidden) area.scrollTop = top - Math.max(20, (view - end + top) / 3);
    this.placeMarks();
  }
  placeMarks() {
    const { area, marks } = this;
    if (marks.firstChild) marks.style.translate = `${area.clientLeft}px ${area.clientTop - area.scrollTop}px`;
  }

  // --- from Python
  receive(next) {
    const { labels } = next;
    [this.name, this.params] = [next.key, next.params];
    [this.label.textContent, this.area.placeholder, this.hint.textContent] =
      [labels.label, labels.placeholder, labels.hint];
    if (next.nonce !== this.nonce) {
      this.take(next);
    } else {
      if (this.told && !next.heard) this.tellSoon(); // another session, after a restart of the server: say it once more
      this.told = next.heard;
    }
  }
  take(next) { // Python's text, or what was typed
    const old = this.kept[next.key], { area } = this;
    // The page's layout may have put the box up again while Python knows what was typed: Python's text is an older one.
    this.told = this.nonce === undefined && next.heard && old?.nonce === next.nonce;
    [this.nonce, this.dirty] = [next.nonce, false];
    this.cancel("tell");
    area.value = this.told ? old.text : next.text;
    area.setSelectionRange(0, 0);
    area.scrollTop = 0;
    this.mark([]);
    this.size = area.value.length;
  }
}

export default function editor({ data, parentElement: root, setStateValue }) {
  return mount(Editor, root, data, setStateValue);
}
