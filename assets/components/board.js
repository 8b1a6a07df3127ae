// Pieces over the characters of a word, as an answer to a question: a new piece takes the place of the pieces under it,
// and the pieces on the board fill in the form's own boxes; text typed into the boxes shows here. Streamlit's boxes
// remain the answer. Every word comes with the data.

const SPACES = "Ġ▁␣", TYPED_SPACES = `${SPACES}_`, SEPARATORS = " |·+,-[]\"'“”"; // as teaching/splitting.py has them
const { set: setValue } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value"); // React has its own

class Board extends Component {
  text; // the boxes' text when they were read or filled in last
  down = []; // the pieces on the board

  constructor(root) {
    super(root, "ts-board", '<div></div><p aria-live="polite"></p>');
    this.form = root.host.closest('[data-testid="stForm"]');
    this.box.addEventListener("click", ({ target }) => this.put(target.closest("button")));
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.watch = new MutationObserver(() => this.read()); // React writes a box's text into its attribute as well
    this.watch.observe(this.form, { subtree: true, childList: true, attributeFilter: ["value"] });
  }
  boxes() { // the boxes for the pieces
    const all = [...this.form.querySelectorAll("input")];
    return this.shown.last ? all.filter((_, index) => index % 2) : all.slice(0, 1);
  }
  pieces() {
    return [...this.box.querySelectorAll("button")];
  }

  // --- from the picture to the boxes
  put(piece) { // a second time: taken away
    if (!piece) return;
    const others = this.down.filter((other) => !this.collide(piece, other));
    this.down = this.down.includes(piece) ? this.down.filter((other) => other !== piece) : [...others, piece];
    this.write();
    this.draw();
    this.reach(piece);
  }
  collide({ dataset: one }, { dataset: other }) {
    if (this.shown.last) return one.end === other.end;
    return Number(one.start) < Number(other.end) && Number(other.start) < Number(one.end);
  }
  answers() { // the boxes' contents: of a split, nothing before it is whole
    if (!this.shown.last) return [this.isWhole() ? this.inOrder().map(({ dataset }) => dataset.piece).join(" ") : ""];
    return this.boxes().map((_, index) => (
      this.down.find(({ dataset }) => dataset.end === `${index + 1}`)?.dataset.piece ?? ""));
  }
  inOrder() {
    return this.pieces().filter((piece) => this.down.includes(piece));
  }
  isWhole() {
    return !this.open();
  }
  open() { // the uncovered characters
    return [...this.shown.word].filter((_, index) => !this.down.some(({ dataset: { start, end } }) =>
      Number(start) <= index && index < Number(end))).join("");
  }
  write() {
    const boxes = this.boxes(), answers = this.answers();
    this.text = answers.join("\n");
    boxes.forEach((box, index) => {
      if (box.value === answers[index]) return;
      setValue.call(box, answers[index]);
      box.dispatchEvent(new Event("input", { bubbles: true }));
      // Streamlit empties a box only after it was left.
      setTimeout(() => box.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
    });
  }

  // --- from the boxes to the picture
  read() {
    const text = this.boxes().map(({ value }) => value).join("\n");
    if (text === this.text) return;
    this.text = text;
    const spans = this.shown.last
      ? text.normalize("NFKC").toLowerCase().split("\n") // capitals and full-width letters count, as in grading
        .map((piece, index) => [index + 1 - [...piece.trim()].length, index + 1, piece.trim()])
      : spansOf(text, [...this.shown.word]);
    const pieceAt = ([start, end, own]) => this.pieces().find(({ dataset }) =>
      Number(dataset.start) === start && Number(dataset.end) === end && dataset.piece === (own ?? dataset.piece));
    this.down = spans.map(pieceAt).filter(Boolean);
    this.draw();
  }

  // --- drawing
  draw() {
    const { labels, last } = this.shown, open = this.open(), split = this.answers()[0];
    for (const piece of this.pieces()) piece.ariaPressed = this.down.includes(piece);
    const message = filled(open ? labels.open : labels.done, { letters: open, split });
    this.part("p").textContent = last || !this.down.length ? labels.hint : message;
  }
  reach(piece) { // the one piece that Tab leads to
    for (const other of this.pieces()) other.tabIndex = other === piece ? 0 : -1;
  }
  onKey(event) {
    const pieces = this.pieces(), i = pieces.indexOf(this.root.activeElement), last = pieces.length - 1;
    const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: last };
    if (!(event.key in to) || hasModifier(event)) return;
    event.preventDefault();
    const piece = pieces[Math.max(0, Math.min(to[event.key], last))];
    this.reach(piece);
    piece.focus();
  }

  // --- from Python
  receive(next) {
    this.shown = next;
    this.part("div").innerHTML = next.html;
    [this.text, this.down] = [undefined, []];
    this.reach(this.pieces()[0]);
    this.draw();
    this.read();
  }
  close() {
    this.watch.disconnect();
    super.close();
  }
}

// The places of the pieces of a typed split, as far as it agrees with the word; the word's first sign for a space may
// be left out.
function spansOf(text, word) {
  const cuts = new Set([0]), typed = [...text.trim()];
  let index = SPACES.includes(word[0]) && !TYPED_SPACES.includes(typed[0]) && word.length > 1 ? 1 : 0;
  for (const character of typed) {
    if (character === word[index] || (SPACES.includes(word[index]) && TYPED_SPACES.includes(character))) index++;
    else if (SEPARATORS.includes(character) || !character.trim()) cuts.add(index);
    else break;
  }
  const places = [...cuts.add(index)].sort((one, other) => one - other);
  return places.slice(1).map((end, index) => [places[index], end]);
}

export default function board({ data, parentElement: root }) {
  return mount(Board, root, data);
}
