// The chips: tokens of a text that light up together with their ids and their details, and with the page's text box.
// Python draws chips and details; this script joins them, and makes the ids and the places out of numbers. A run is the
// content of one chip: one token, or several with a character in common; a run without ids is a gap. During typing, the
// text box gets such messages from the server itself, without the details.

const DRAG = 4; // px
const MARKUP = `<div class="pane" role="listbox" tabindex="-1"></div>
  <section class="card"><p class="place"><span></span><span></span><button></button></p><div></div></section>
  <section class="ids"><h2></h2><div class="below"></div>
    <div class="copy"><button data-copy="ids"></button><button data-copy="tokens"></button>
    <button data-copy="text"></button><output></output></div><p role="group" tabindex="0"></p></section>`;

const middle = ({ left, right }) => (left + right) / 2;
const indexAt = (node) => node?.closest?.(".r,.ids span")?.index;

// The details: of the run under the mouse or the focus, else of the pinned one.
class Card {
  constructor(node) {
    this.node = node;
    [this.token, this.position, this.why] = node.querySelector(".place").children;
    this.details = node.querySelector(":scope > div");
  }
  receive({ labels, total, cards }) {
    Object.assign(this, { labels, total, cards: cards ?? this.cards, shown: undefined });
    this.node.ariaLabel = labels.card;
    this.why.textContent = labels.why ?? "";
    this.node.toggleAttribute("data-stale", !cards); // they count in the text before
  }
  show(run, some, enabled) { // `some`: whether the text has any runs, so a hint takes the place of the details;
    // `enabled`: whether the button can be reached; it keeps its room
    const { labels, cards } = this, ids = run?.ids ?? [], values = run ? this.values(run) : {};
    const label = run ? filled(ids.length > 1 ? labels.tokens : labels.token, values) : "";
    this.token.textContent = !run && some ? labels.hint : label;
    this.position.textContent = run?.start < run?.end ? filled(labels.characters, values) : "";
    this.why.toggleAttribute("data-off", !enabled || !(run?.start < run?.end));
    const markup = [...new Set(ids)].map((id) => cards[id] ?? "").join("");
    if (markup === this.shown) return;
    this.details.innerHTML = this.shown = markup;
    this.node.scrollTop = 0;
  }
  values({ index, ids, start, end }) { // values for the labels, in the page language's form
    const values = { index, last: index + ids.length - 1, total: this.total, start, end };
    for (const name in values) values[name] = values[name].toLocaleString(this.labels.language);
    return values;
  }
}

// The ids of all runs in a row, with commas between them.
class Row {
  marks = []; // of each run, the nodes of its ids
  numbers = [];

  constructor(node, below) {
    [this.node, this.below] = [node, below];
    node.addEventListener("scroll", () => this.count(), { passive: true });
    new ResizeObserver(() => this.count()).observe(node);
  }
  receive({ labels }) {
    this.labels = labels;
    this.count();
  }
  count() { // the ids below the ones in sight
    if (!this.labels || !document.documentElement.hasAttribute("data-projector")) return;
    const spans = this.node.children, end = this.node.getBoundingClientRect().bottom;
    let [low, high] = [0, spans.length];
    while (low < high) {
      const middle = (low + high) >> 1, { top, bottom } = spans[middle].getBoundingClientRect();
      if ((top + bottom) / 2 < end) low = middle + 1;
      else high = middle;
    }
    const number = spans.length - low, { language, rest_one: one, rest_other: other } = this.labels;
    const form = { one, other }[new Intl.PluralRules(language).select(number)] ?? other;
    this.below.textContent = number ? filled(form, { number: number.toLocaleString(language) }) : "";
  }
  draw(runs) { // again only the changed ones
    const ids = runs.flatMap((run) => run.ids);
    for (const splice of splices(this.numbers, ids)) this.replace(...splice);
    this.numbers = ids;
    const spans = this.node.children;
    let count = 0;
    this.marks = runs.map((run, index) => run.ids.map(() => Object.assign(spans[count++], { index })));
  }
  replace(from, to, ids) { // an id's comma is in front of it, so the first one has none
    const { node } = this, old = document.createRange(), fresh = document.createDocumentFragment();
    const before = node.children[from - 1], after = node.children[to];
    old.selectNodeContents(node);
    if (before) old.setStartAfter(before);
    if (after && before) old.setEndAfter(node.children[to - 1]);
    else if (after) old.setEndBefore(after);
    old.deleteContents();
    for (const [index, id] of ids.entries()) {
      if (from + index) fresh.append(", ");
      fresh.append(Object.assign(document.createElement("span"), { textContent: id }));
    }
    if (after && !before && ids.length) fresh.append(", ");
    old.insertNode(fresh);
  }
}

// Texts for the clipboard: the tokens shown, each list as JSON.
const COPIES = {
  ids: (runs) => JSON.stringify(runs.flatMap(({ ids }) => ids)).replaceAll(",", ", "),
  tokens: (runs, names) => JSON.stringify(runs.flatMap(({ ids }) => ids.map((id) => names[id]))),
  text: (runs) => runs.map(({ text }) => text).join(""),
};
class Chips extends Component {
  view = {}; // the last message from Python
  runs = [];
  nodes = []; // their chips
  drawn = []; // the markup of each line
  headLines = []; // the text of the blocks above the chips
  seen; // these three are places among the runs: under the mouse or the focus,
  pinned; // kept by a click,
  stop; // and where Tab arrives
  range; // the selection in the text box
  news = false; // whether it was selected since the last message

  constructor(root) {
    super(root, "ts-chips ts", MARKUP);
    this.head = make("div", { className: "ts-head" });
    root.prepend(this.head);
    [this.pane, this.heading] = [this.part(".pane"), this.part("h2")];
    [this.card, this.row] = [new Card(this.part(".card")), new Row(this.part(".ids > p"), this.part(".below"))];
    this.listenToKeys();
    this.listenToPointer();
    this.card.why.addEventListener("click", () => {
      const { start, end } = this.runs[this.pinned];
      this.send("why", [start, end, Date.now()]);
    });
    this.output = this.part("output");
    for (const button of this.box.querySelectorAll("[data-copy]"))
      button.addEventListener("click", () => this.give(button.dataset.copy));
    this.box.addEventListener("copy", (event) => this.copy(event));
    document.addEventListener("tokensteps:selection", ({ detail }) => {
      [this.range, this.news] = [detail, true];
      this.mark(true);
    }, { signal: this.gone.signal });
    document.addEventListener("tokensteps:typed", ({ detail }) => this.follow(detail), { signal: this.gone.signal });
  }

  // --- lights
  isChip(index) {
    return this.runs[index]?.ids.length > 0;
  }
  paint(index, how, on) {
    if (index === undefined) return;
    for (const node of [this.nodes[index], ...this.row.marks[index]]) node.classList.toggle(how, on);
  }
  look(index) {
    if (index === this.seen) return;
    this.paint(this.seen, "lit", false);
    this.paint((this.seen = index), "lit", true);
    this.show();
  }
  pin(index) {
    this.paint(this.pinned, "pin", false);
    this.nodes[this.pinned]?.removeAttribute("aria-selected");
    this.paint((this.pinned = index), "pin", true);
    this.nodes[this.pinned]?.setAttribute("aria-selected", "true");
    this.show();
  }
  show() {
    const { card, pinned, runs, seen = pinned } = this;
    if (card.labels) card.show(runs[seen], runs.length > 0, seen === pinned);
  }
  choose(index) {
    this.pin(index === this.pinned ? undefined : index);
    const { start, end } = this.runs[index];
    if (!this.view.linked || this.pinned !== index) return;
    document.dispatchEvent(new CustomEvent("tokensteps:range", { detail: { start, end } }));
  }
  mark(scroll) { // the text box's selection; a caret alone is followed
    const { range, runs, nodes } = this, { linked } = this.view;
    const { start, end } = range ?? {}, caret = start === end && start;
    const inside = runs.map((run) => linked && run.start < end && run.end > start && caret === false);
    nodes.forEach((node, index) => node.classList.toggle("in", inside[index]));
    const before = (run) => run.start < caret && run.end >= caret;
    const first = caret === false ? inside.indexOf(true) : runs.findIndex(before);
    if (scroll && linked && nodes[first]) keepInSight(nodes[first], this.pane);
  }

  // --- focus and keys
  stopAt(index) {
    this.nodes[this.stop]?.removeAttribute("tabindex");
    this.nodes[(this.stop = index)]?.setAttribute("tabindex", "0");
  }
  focus(index) {
    this.stopAt(index);
    this.nodes[index].focus({ preventScroll: true });
  }
  next(from, step) {
    for (let index = from + step; this.runs[index]; index += step) if (this.isChip(index)) return index;
  }
  beside(from, step) { // in the line above or below, the chip nearest to this one
    const edge = (index, way) => [...this.nodes[index].getClientRects()].at(way > 0 ? -1 : 0);
    const here = edge(from, step);
    let best, line, least = Infinity;
    for (let index = this.next(from, step); index !== undefined; index = this.next(index, step)) {
      const there = edge(index, -step), off = Math.abs(middle(there) - middle(here));
      if ((there.top - here.top) * step < here.height / 2) continue; // still the same line
      if (Math.abs(there.top - (line ??= there.top)) > here.height / 2) break;
      if (off < least) [best, least] = [index, off];
    }
    return best;
  }
  actions(from) { // each key's action at this chip: returns the chip to go to, if any
    const along = this.nodes[from].closest(".l").dir === "rtl" ? -1 : 1;
    return {
      ArrowRight: () => this.next(from, along),
      ArrowLeft: () => this.next(from, -along),
      ArrowDown: () => this.beside(from, 1),
      ArrowUp: () => this.beside(from, -1),
      Home: () => this.next(-1, 1),
      End: () => this.next(this.runs.length, -1),
      Enter: () => this.choose(from),
      " ": () => this.choose(from),
    };
  }
  onKey(event) {
    const { key } = event, from = this.pane.contains(event.target) ? indexAt(event.target) : undefined;
    if (hasModifier(event)) return;
    if (key === "Escape" && this.pinned !== undefined) {
      event.stopPropagation();
      this.pin();
    }
    const act = from === undefined ? undefined : this.actions(from)[key];
    if (!act) return;
    event.preventDefault();
    const to = event.repeat && (key === "Enter" || key === " ") ? undefined : act();
    if (to === undefined) return;
    this.focus(to);
    keepInSight(this.nodes[to], this.pane);
  }
  listenToKeys() {
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.pane.addEventListener("focusin", ({ target }) => {
      const index = indexAt(target);
      if (index === undefined || !target.matches(":focus-visible")) return;
      this.look(index);
      keepInSight(this.row.marks[index][0], this.row.node);
    });
    this.pane.addEventListener("focusout", () => this.look());
  }

  // --- the mouse
  listenToPointer() {
    const { box, pane, row } = this;
    for (const part of [pane, row.node]) {
      part.addEventListener("pointerover", ({ target }) => { // between two chips, the last one stays
        const index = indexAt(target);
        if (index === this.seen || !this.isChip(index)) return;
        this.look(index);
        if (part === pane) keepInSight(row.marks[index][0], row.node);
        else keepInSight(this.nodes[index], pane);
      });
      part.addEventListener("pointerleave", () => this.look());
    }
    let down;
    box.addEventListener("pointerdown", (event) => { down = event; });
    box.addEventListener("click", (event) => {
      const index = indexAt(event.target);
      const moved = Math.hypot(event.clientX - down?.clientX, event.clientY - down?.clientY);
      if (!this.isChip(index) || (event.detail && moved > DRAG)) return; // the end of a selection
      if (pane.contains(event.target)) this.focus(index);
      this.choose(index);
    });
  }
  give(what) {
    const { labels, names, total } = this.view, number = this.row.numbers.length, { language } = labels;
    if (!putOnClipboard(COPIES[what](this.runs, names))) return;
    const numbers = { number: number.toLocaleString(language), total: total.toLocaleString(language) };
    this.output.textContent = filled(labels.copied, numbers);
    this.later("said", 4000, () => { this.output.textContent = ""; });
  }
  copy(event) { // the text itself, not the signs for it
    const selected = selectionIn(this.root), { runs, nodes } = this;
    if (!this.pane.contains(selected?.startContainer) || !this.box.contains(selected.endContainer)) return;
    const live = document.createRange();
    live.setStart(selected.startContainer, selected.startOffset);
    live.setEnd(selected.endContainer, selected.endOffset);
    const copied = runs.map(({ text }, index) => (isTouched(nodes[index], live) ? text : ""));
    event.clipboardData.setData("text/plain", copied.join(""));
    event.preventDefault();
  }

  // --- from Python
  receive(message) { // with a run of the page
    const [nonce, at] = message.version, [before, now] = this.view.version ?? [];
    if (nonce === before && at < now) return; // the run began before the last keys: another one follows
    this.draw(message);
    document[DRAWN] = message.version;
    document.dispatchEvent(new CustomEvent("tokensteps:drawn"));
  }
  follow(data) { // with a key in the text box
    const message = JSON.parse(data), [nonce, at] = message.version, [before, now] = this.view.version ?? [];
    if (nonce === before && at > now) this.draw(message);
  }
  draw(message) {
    const other = message.page !== this.view.page;
    const { pane, row, stop } = this, pinned = this.runs[this.pinned], before = this.pinned;
    const active = pane.contains(this.root.activeElement) && this.root.activeElement;
    const scrolled = other ? [0, 0] : [pane.scrollTop, row.node.scrollTop], target = other ? 0 : (stop ?? 0);
    this.look();
    this.pin();
    this.stopAt();
    this.view = message;
    putLines(this.head, this.headLines, message.head);
    this.headLines = message.head;
    this.runs = runsOf(message);
    this.redraw(linesOf(message));
    row.draw(this.runs);
    this.label(message.labels);
    this.card.receive(message);
    row.receive(message);
    [pane.scrollTop, row.node.scrollTop] = scrolled;
    const same = pinned && pinned.text === this.runs[before]?.text && pinned.start === this.runs[before].start;
    this.pin(!other && same && this.isChip(before) ? before : undefined);
    const stays = active?.isConnected ? indexAt(active) : target;
    const near = () => this.next(Math.min(stays, this.runs.length), -1) ?? this.next(-1, 1);
    this.stopAt(this.isChip(stays) ? stays : near());
    if (active && this.nodes[this.stop]) this.focus(this.stop); // it was here; other parts of the page keep theirs
    this.mark(this.news);
    this.news = false;
  }
  close() {
    this.head.remove();
    super.close();
  }
  label(labels) {
    [this.pane.ariaLabel, this.pane.dataset.empty] = [labels.pane, labels.empty];
    [this.row.node.ariaLabel, this.heading.textContent] = [labels.ids, labels.ids];
    for (const button of this.box.querySelectorAll("[data-copy]"))
      button.textContent = labels[`copy_${button.dataset.copy}`];
  }
  redraw(lines) {
    const { pane } = this;
    putLines(pane, this.drawn, lines);
    this.drawn = lines;
    this.nodes = [...pane.querySelectorAll(".r")];
    this.nodes.forEach((node, index) => { node.index = index; });
  }
}

// A message lists the kinds of runs, each with its markup, text and ids; `order` has the kind at each place.
function runsOf({ order, kinds, places, first }) {
  let index = first + 1;
  return order.filter((kind) => kinds[kind].length > 1).map((kind, at) => {
    const [, text, ...ids] = kinds[kind];
    const run = { text, ids, index, start: places[2 * at], end: places[2 * at + 1] };
    index += ids.length;
    return run;
  });
}
function linesOf({ order, kinds }) { // their markup: each <div> begins a line
  const lines = [];
  for (const kind of order) {
    const [markup] = kinds[kind];
    if (markup.startsWith("<div")) lines.push(markup);
    else lines[lines.length - 1] += markup;
  }
  return lines;
}

function keepInSight(node, part) { // scrolls the part alone, never the page
  const a = node.getBoundingClientRect(), b = part.getBoundingClientRect(), zoom = part.currentCSSZoom ?? 1;
  if (a.top >= b.top && a.bottom <= b.bottom) return;
  const line = parseFloat(getComputedStyle(part).lineHeight) || 1; // no line of ids is cut
  const top = part.scrollTop + (a.top - b.top - Math.max(8, (b.height - a.height) / 3)) / zoom;
  part.scrollTop = line * Math.round(top / line);
}

function selectionIn(root) { // browsers differ in how they tell of a selection within a shadow
  const inner = root.getSelection?.(), composed = getSelection().getComposedRanges?.({ shadowRoots: [root] })[0];
  return composed ?? (inner?.rangeCount ? inner.getRangeAt(0) : undefined);
}
function isTouched(node, live) { // by a selection: more than its edge
  if (!live.intersectsNode(node)) return false;
  const part = document.createRange();
  part.selectNodeContents(node);
  if (part.compareBoundaryPoints(Range.START_TO_START, live) < 0) part.setStart(live.startContainer, live.startOffset);
  if (part.compareBoundaryPoints(Range.END_TO_END, live) > 0) part.setEnd(live.endContainer, live.endOffset);
  return !node.textContent || part.toString() !== "";
}

export default function chips({ data, parentElement: root, setStateValue }) {
  return mount(Chips, root, data, setStateValue);
}
