// A text on its way to ids: every stage under the one before. The items above and below the one under the mouse or the
// focus light up with it, and one line describes it. Python draws; this script breaks the drawing into lines, and joins
// the stages. An atom is a part without line breaks; each has the items of all stages for a piece of the text.

const MARKUP = `<div class="flow" role="listbox" tabindex="-1"></div><p class="tell" role="status"></p>`;

const itemAt = (node) => node?.closest?.(".i");
const positionOf = (node) => (node.position ??= { // read once
  row: Number(node.dataset.r),
  token: node.dataset.i,
  of: node.dataset.q,
  start: Number(node.dataset.s),
  end: Number(node.dataset.e),
});
function areRelated(one, other) { // the same token, or the same stretch of the text
  const [a, b] = [positionOf(one), positionOf(other)];
  if (a.token && b.token) return a.token === b.token;
  return a.of === b.of && a.start < b.end && b.start < a.end;
}
function sidePadding(node) {
  const { paddingLeft, paddingRight } = getComputedStyle(node);
  return parseFloat(paddingLeft) + parseFloat(paddingRight);
}

class Pipeline extends Component {
  view = {}; // the last message from Python
  atoms = [];
  items = [];
  rows = []; // the items of each stage
  lit = [];
  stop; // the item where Tab arrives
  pinned;
  width; // the lines were broken for it

  constructor(root) {
    super(root, "ts-pipeline ts", MARKUP);
    [this.flow, this.tell] = this.box.children;
    this.listen();
    this.watch = new ResizeObserver(() => this.wrap());
    this.watch.observe(this.flow);
  }
  listen() {
    const { flow } = this, light = ({ target }) => itemAt(target) && this.light(itemAt(target));
    flow.addEventListener("keydown", (event) => this.onKey(event));
    flow.addEventListener("focusin", light);
    flow.addEventListener("focusout", () => this.light(this.pinned));
    flow.addEventListener("pointerover", light);
    flow.addEventListener("pointerleave", () => this.light(itemAt(this.root.activeElement) ?? this.pinned));
    flow.addEventListener("click", ({ target }) => {
      const node = itemAt(target);
      if (!node) return;
      this.focus(node);
      this.togglePin(node);
    });
  }

  // --- lights
  light(node) {
    for (const other of this.lit) other.classList.remove("lit", "me");
    this.lit = node ? this.items.filter((other) => areRelated(node, other)) : [];
    for (const other of this.lit) other.classList.add("lit");
    node?.classList.add("me");
    this.tell.textContent = node ? this.view.tells[node.dataset.t] : this.view.labels.hint;
  }
  pin(node) {
    this.pinned?.removeAttribute("aria-selected");
    (this.pinned = node)?.setAttribute("aria-selected", "true");
    this.light(node);
  }
  togglePin(node) {
    this.pin(this.pinned === node ? undefined : node);
  }

  // --- focus and keys: along a stage, and from stage to stage
  stopAt(node) {
    this.stop?.removeAttribute("tabindex");
    (this.stop = node)?.setAttribute("tabindex", "0");
    if (node) node.ariaLabel = this.view.tells[node.dataset.t];
  }
  focus(node) {
    if (!node) return;
    this.stopAt(node);
    node.focus();
  }
  rowOf(node) {
    return this.rows[positionOf(node).row];
  }
  along(node, step) {
    return this.rowOf(node)[this.rowOf(node).indexOf(node) + step];
  }
  across(node, step) {
    for (let row = positionOf(node).row + step; this.rows[row]; row += step) {
      const related = this.rows[row].find((other) => areRelated(node, other));
      if (related) return related;
    }
  }
  actions(from) { // each key's action at this item
    const right = from.closest(".line").dir === "rtl" ? -1 : 1;
    return {
      ArrowRight: () => this.focus(this.along(from, right)),
      ArrowLeft: () => this.focus(this.along(from, -right)),
      ArrowDown: () => this.focus(this.across(from, 1)),
      ArrowUp: () => this.focus(this.across(from, -1)),
      Home: () => this.focus(this.rowOf(from)[0]),
      End: () => this.focus(this.rowOf(from).at(-1)),
      Enter: () => this.togglePin(from),
      " ": () => this.togglePin(from),
      Escape: this.pinned && (() => { this.pin(); this.light(from); }),
    };
  }
  onKey(event) {
    const from = itemAt(event.target);
    if (!from || hasModifier(event)) return;
    const act = this.actions(from)[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  // --- lines, as wide as there is room
  wrap() {
    const { flow, atoms } = this;
    if (!atoms.length || !flow.clientWidth || flow.clientWidth === this.width) return;
    this.width = flow.clientWidth;
    const active = this.root.activeElement;
    flow.replaceChildren(...this.lines(this.measured()));
    if (active && flow.contains(active)) active.focus({ preventScroll: true });
  }
  measured() { // how wide the atoms, the gap between them and the room for them are, in CSS pixels
    const { flow, atoms } = this, line = this.line(atoms[0]), zoom = flow.currentCSSZoom ?? 1; // see projector.css
    line.classList.add("measure");
    line.append(...atoms);
    flow.replaceChildren(line);
    const gap = parseFloat(getComputedStyle(line).columnGap) || 0;
    return {
      gap,
      room: this.width - sidePadding(flow) - line.firstChild.offsetWidth - gap - 2,
      sizes: atoms.map((atom) => atom.getBoundingClientRect().width / zoom),
    };
  }
  lines({ gap, room, sizes }) {
    const lines = [];
    let left = -1; // no room yet: the first atom begins a line
    this.atoms.forEach((atom, index) => {
      left -= sizes[index] + gap;
      if (left < 0 || "b" in atom.dataset) {
        lines.push(this.line(atom));
        left = room - sizes[index];
      }
      lines.at(-1).append(atom);
    });
    return lines;
  }
  line({ dataset: { n: name } }) { // an empty one, for an atom of this text: with the stages' names
    const { view } = this;
    const line = Object.assign(document.createElement("div"), { className: "line", dir: view.ways[name] });
    const labels = Object.assign(document.createElement("div"), { className: "labels", innerHTML: view.names });
    labels.ariaHidden = "true";
    labels.firstChild.textContent = view.texts[name];
    line.append(labels);
    return line;
  }

  // --- from Python
  receive(message) {
    const { flow, stop } = this, hasFocus = stop && flow.contains(this.root.activeElement);
    const before = hasFocus ? [positionOf(stop).row, this.rowOf(stop).indexOf(stop)] : undefined;
    this.view = message;
    const template = Object.assign(document.createElement("template"), { innerHTML: message.atoms });
    this.atoms = [...template.content.children];
    this.items = [...template.content.querySelectorAll(".i")];
    this.rows = [];
    for (const node of this.items) (this.rows[positionOf(node).row] ??= []).push(node);
    [this.pinned, this.width] = [undefined, undefined];
    flow.ariaLabel = message.labels.flow;
    flow.replaceChildren();
    this.wrap();
    this.light();
    this.stopAt(this.rows[0]?.[0] ?? this.items[0]);
    if (!before) return;
    const [row, index] = [this.rows[before[0]], before[1]];
    this.focus(row?.[Math.min(index, row.length - 1)] ?? this.items[0]);
  }
  close() {
    this.watch.disconnect();
    super.close();
  }
}

export default function pipeline({ data, parentElement: root }) {
  return mount(Pipeline, root, data);
}
