// The flipbook: flips between frames (HTML, drawn by Python) without asking the server. It knows frames and steps and
// nothing about tokenizers; all its words come with the data.

const BOOK = Symbol.for("tokensteps.flipbook"); // on the document: the box of the last touched flipbook
const SPEEDS = [1, 2, 4, 0.5];
const BEAT = 450, TURN = 1600, REST = 250, SAY = 400, WAIT = 1000; // ms
const SPREAD = 3000; // ms for a class's requests for the next window
const LOST = 4000; // ms until more of a growing run is asked for once more without an answer
const PATIENCE = 1000; // ms for the page above the stage to take its place
const AHEAD = 12; // steps before the window's edge: then the next window is asked for
const SWIPE = 50; // px
// Sizes of large type relative to projector.css, numbers of columns of words (or one after the other), and whether
// parts not needed for the question make room; the first level that fits is taken.
const LEVELS = [[false, [1, 0.9, 0.8], [1, 2, 3]], [true, [1, 0.9, 0.8, 0.72], [1, 2, 3, "flow"]]]
  .flatMap(([tight, types, columns]) => types.flatMap((type) => columns.map((number) => [tight, type, number])));
const LEADS = ".cols > section + section, .go"; // parts that lead ahead of a frame's step
const LIT = ":has(.hot), .now, .hot, .languages tr"; // rows and chips to leave out last
const BUTTONS = { // icon, and the key's name or its label
  first: ["M3.5 3v10M12.5 3.5 7 8l5.5 4.5", "home"], back: ["M10 3.5 5 8l5 4.5", "←"],
  next: ["M6 3.5 11 8l-5 4.5", "→"], last: ["M12.5 3v10M3.5 3.5 9 8l-5.5 4.5", "end"],
};
const COUNT = "td > .n[data-pick]"; // the count of a row
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last", " ": "play" };
const JUMPS = { before: ["M8.5 4 4.5 8l4 4M12 6v4", "Shift+←"], after: ["M7.5 4l4 4-4 4M4 6v4", "Shift+→"] };
const JUMPING = { ArrowLeft: "before", ArrowRight: "after" }; // with Shift
const STEPPING = Object.entries(BUTTONS)
  .map(([name, [path]]) => `<button type="button" data-do="${name}">${icon(path)}</button>`).join("");
const MARKED = Object.entries(JUMPS)
  .map(([name, [path]]) => `<button type="button" data-do="${name}" hidden>${icon(path)}</button>`).join("");
const STOP = `<button type="button" data-do="stop">${icon("M4.5 4.5h7v7h-7z")}</button>`;
const PLAY = icon("M5 3.2v9.6l7.5-4.8z"), PAUSE = icon("M4.5 3.5h2.2v9H4.5zM9.3 3.5h2.2v9H9.3z");
const BAR = `<h2 class="unseen"></h2>
  <div class="transport">
    <div class="buttons">${STEPPING}
      <button type="button" data-do="play">
        <span class="off">${PLAY}<i></i></span><span class="on">${PAUSE}<i></i></span></button>
      <button type="button" data-do="speed"></button>${MARKED}</div>
    <div class="where"><p><b></b> </p><span></span><div class="growth" hidden><i></i></div></div>
    <input type="range" min="0" step="1"></div>
  <div class="line" role="group"></div>
  <div class="wait"></div>
  <div class="stage" role="group"></div>
  <div class="live unseen" aria-live="polite"></div>`;

// Elements outside the flipbook that use arrows, Home or End themselves; and those that use Space.
const TAKES_ARROWS = 'input:not([type="checkbox"],[type="button"]),textarea,select,canvas,video,audio,'
  + '[contenteditable]:not([contenteditable="false"]),'
  + roles("slider tab tablist menu menubar menuitem combobox listbox option grid treegrid tree textbox searchbox")
  + `,${roles("spinbutton radio radiogroup toolbar application dialog")}`;
const TAKES_SPACE = `${TAKES_ARROWS},input,button,a[href],summary,label,${roles("button checkbox switch link")}`;
// A select box, perhaps for choosing this run; an answer in a form doesn't.
const CHOOSER = '[role="combobox"]:not([aria-expanded="true"], [data-testid="stForm"] *)';

const separated = (number) => number.toLocaleString("en"); // 12,345, as Python writes counts
const isWhole = (node) => node.scrollHeight <= node.clientHeight + 1; // nothing of it is cut
const isWide = (table) => table.scrollWidth > table.parentElement.clientWidth + 1
  - 2 * parseFloat(getComputedStyle(table.parentElement).paddingInlineEnd); // its last column would be cut
const isBroken = (row) => { // into lines, or a token is wider than the row
  const tokens = row.querySelector(".ts"), one = row.querySelector(".t");
  return tokens?.clientHeight > 1.8 * one?.offsetHeight || tokens?.scrollWidth > tokens?.clientWidth + 1;
};
const within = (number, first, last) => Math.max(first, Math.min(last, number));

// The place where frames are shown. Focus, scrolling and choices survive a change of frame.
class Stage {
  chosen = { picked: "" };

  constructor(node) {
    this.node = node;
    const look = () => this.look();
    // Not `pointerover`: in Firefox it comes before `:hover` holds.
    for (const event of ["mouseover", "mouseleave", "focusin", "focusout"]) node.addEventListener(event, look);
    node.addEventListener("focusin", ({ target }) => { if (target.matches(COUNT)) this.stop(target); });
    node.addEventListener("keydown", (event) => this.onKey(event));
  }
  stop(node) { // the counts of a table are one stop for the Tab key: up and down lead from row to row
    for (const other of node.closest("table").querySelectorAll(COUNT)) other.tabIndex = other === node ? 0 : -1;
  }
  onKey(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || hasModifier(event) || !event.target.matches(COUNT)) return;
    const counts = [...event.target.closest("table").querySelectorAll(COUNT)].filter((node) => node.checkVisibility());
    counts[counts.indexOf(event.target) + by]?.focus();
    event.preventDefault();
  }
  all(selector) {
    return [...this.node.querySelectorAll(selector)];
  }
  show(html) {
    if (html === this.shown) return false;
    const scrolled = this.all("[data-pane]").map((pane) => [pane.scrollLeft, pane.scrollTop]);
    const active = this.node.querySelector(":is([data-pick],[data-term]):focus")?.dataset;
    const name = active?.pick ? "pick" : "term";
    const opened = this.all("details").map((part) => part.open);
    this.node.innerHTML = this.shown = html;
    for (const part of this.all("[data-style]")) part.style.cssText = part.dataset.style; // see without_styles()
    this.all("details").forEach((part, index) => { part.open = opened[index] ?? part.open; });
    for (const table of this.all(`table:has(${COUNT})`)) this.stop(table.querySelector(COUNT));
    if (active) this.node.querySelector(`[data-${name}="${active[name]}"]`)?.focus({ preventScroll: true });
    this.all("[data-pane]").forEach((pane, index) => pane.scrollTo(...(scrolled[index] ?? [0, 0])));
    for (const here of this.all("[data-pane] [data-here]")) keepInSight(here, here.closest("[data-pane]"));
    Object.entries(this.chosen).forEach(([how, id]) => this.choose(how, id));
    return true;
  }
  choose(how, id) { // a `data-pick` is seen or picked: so are all parts with its id in `data-of`
    this.chosen[how] = id;
    for (const node of this.all("[data-of]")) node.classList.toggle(how, node.dataset.of.split(" ").includes(id));
    for (const node of this.all("button[data-pick]")) node.ariaPressed = node.dataset.pick === this.chosen.picked;
  }
  pick(id) { // a second time: no longer
    this.choose("picked", id === this.chosen.picked ? "" : id);
  }
  look() {
    const node = ["[data-pick]:hover", "tr:hover [data-pick]", "[data-pick]:focus-visible"]
      .map((selector) => this.node.querySelector(selector)).find(Boolean);
    this.choose("seen", node?.dataset.pick);
  }
}

// The timeline of the run: a button for each step of the window.
class Timeline {
  marks = [];

  constructor(node, root) {
    [this.node, this.root] = [node, root];
  }
  fill({ frames, first, marks = [] }, begin, end) {
    const from = Math.max(first, begin), marked = new Set(marks);
    const button = (page, step) =>
      `<button type="button" data-step="${step}"${marked.has(step) ? " data-marked" : ""}>${page.label}</button>`;
    const markup = frames.slice(from - first, Math.max(0, end - first + 1))
      .map((page, index) => button(page, from + index)).join("");
    if (markup === this.shown) return;
    this.node.innerHTML = this.shown = markup;
    [this.from, this.marks] = [from, [...this.node.children]];
  }
  go(step) { // to its mark, or where it would be
    this.marks.forEach((mark, index) => {
      const side = Math.sign(this.from + index - step);
      if (mark.side !== side) {
        const className = ["past", "now", "future"][side + 1];
        Object.assign(mark, { side, className, tabIndex: side ? -1 : 0, ariaCurrent: side ? null : "step" });
      }
      if (side) return;
      keepInSight(mark, this.node);
      if (this.node.contains(this.root.activeElement)) mark.focus({ preventScroll: true });
    });
  }
}

// Makes a frame fit its place. In projector mode type shrinks, as far as the back row can read it, and words form
// columns: all of them with a question, else the ones listed by the page itself. Parts without room are left out whole
// and counted, and ↓ shows them.
class Fit {
  from = 0; // the first row shown
  trail = []; // the first rows shown before that

  constructor(box, stage, signal) {
    [this.box, this.stage] = [box, stage.node];
    new ResizeObserver(() => this.run()).observe(this.stage); // so also in and out of projector mode
    document.fonts.addEventListener("loadingdone", () => this.run(), { signal });
  }
  receive({ rest_one: one, rest_other: other, fewer }) {
    this.plural = new Intl.PluralRules(document.documentElement.lang || "en");
    Object.assign(this, { forms: { one, other }, fewer });
  }
  message(number) {
    const form = this.forms[this.plural.select(number)] ?? this.forms.other;
    return number ? filled(form, { number: separated(number) }) : "";
  }
  isProjected() {
    return this.box.hasAttribute("data-projector");
  }
  all(selector) {
    return [...this.stage.querySelectorAll(selector)];
  }
  run(from = this.from) {
    if (!this.stage.clientHeight || !this.forms) return; // not on the screen
    [this.from, this.trail] = [from, from ? this.trail : []];
    const lists = this.all(".cols > section, .trio > section").map((pane) => [pane, this.rows(pane)]);
    for (const [, rows] of lists) rows.forEach((row) => row.classList.remove("over"));
    if (this.isProjected()) this.shrink(lists);
    else this.set(LEVELS[0]);
    const listed = lists.map(([pane, rows]) => this.list(pane, rows));
    const least = Math.min(...listed); // columns for comparison have the same rows
    if (this.stage.querySelector(".trio")) lists.forEach(([pane, rows]) => this.list(pane, rows, least));
    this.all(".vocab > div").forEach((strip) => this.cut(strip, [...strip.querySelectorAll(".t")]));
  }
  rows(pane) {
    return [...pane.querySelectorAll(":scope > .w, :scope > :is(.ws, .part) .w, table tr:has(td):not(:has(th))")];
  }
  set([tight, type, columns]) {
    this.box.toggleAttribute("data-tight", tight);
    this.vary("--type", type);
    this.vary("--columns", columns);
    this.stage.dataset.columns = columns;
    const say = this.stage.querySelector(".say"); // gets smaller only if it has to
    for (const size of say ? [1, 0.9, 0.8].filter((one) => !tight || one <= type) : []) {
      this.vary("--told", size);
      if (isWhole(say)) break;
    }
  }
  vary(name, value) { // only to another value: the browser would work out all styles again
    const { style } = this.stage;
    if (style.getPropertyValue(name) !== `${value}`) style.setProperty(name, value);
  }
  shrink(lists) {
    const asking = [...document.querySelectorAll('[data-testid="stForm"]')].some((form) => form.checkVisibility());
    const needed = lists.filter(([, rows]) => asking || rows.some((row) => row.matches(".w")));
    const extra = (row) => !asking && row.matches(".beyond, .fixed *");
    for (const [, rows] of lists) rows.forEach((row) => row.classList.toggle("over", extra(row)));
    let last;
    for (const level of LEVELS) {
      const [tight, , columns] = level;
      if (tight && !asking) break;
      this.set(level);
      const broken = lists.some(([, rows]) => rows.some(isBroken));
      if (columns > 1 && broken) continue;
      last = level;
      // Side by side, words in two lines would put the rows below out of line.
      const wide = this.all(".cols > section > table").some(isWide);
      const whole = !wide && needed.every(([pane]) => isWhole(pane));
      if (whole && !(broken && this.stage.querySelector(".trio"))) break;
    }
    this.set(last);
    for (const [, rows] of lists) rows.forEach((row) => row.classList.remove("over"));
  }
  list(pane, rows, most = Infinity) { // returns how many rows there was room for
    const shown = rows.slice(this.from < rows.length ? this.from : 0);
    rows.forEach((row) => row.classList.toggle("over", !shown.includes(row)));
    if (this.isProjected()) return this.cut(pane, shown, rows.length - shown.length, most);
    const beyond = rows.filter((row) => row.matches(".beyond")).length, open = this.box.hasAttribute("data-all");
    const hasFocus = pane.contains(pane.getRootNode().activeElement?.closest('[data-do="all"]'));
    this.count(pane, open ? 0 : beyond);
    if (beyond) this.offer(pane.querySelector(":scope > .more"), open, hasFocus);
    return rows.length;
  }
  offer(line, open, hasFocus) { // the line with the number of hidden words shows them, and folds them again
    const message = line.textContent, textContent = open ? this.fewer : message;
    const button = make("button", { type: "button", textContent, ariaExpanded: `${open}`, data: { do: "all" } });
    line.replaceChildren(...(open && message ? [`${message} `] : []), button);
    if (hasFocus) button.focus({ preventScroll: true });
  }
  // Leaves out the last parts beyond the room, and counts them; lit-up parts go last.
  cut(box, parts, before = 0, most = parts.length) {
    const lit = (part) => part.matches(LIT) && !part.closest(".trio"); // there, the same rows in all columns
    const order = [...parts.filter(lit), ...parts.filter((part) => !lit(part))];
    const show = (number) => {
      order.forEach((part, index) => part.classList.toggle("over", index >= number));
      this.count(box, before + order.slice(number).filter((part) => !part.matches(".gap")).length);
      return isWhole(box);
    };
    let [low, high] = [Math.min(1, parts.length), Math.min(most, parts.length)];
    if (show(high)) return high;
    if (!this.isProjected()) { // at every step: each look at the layout costs, so begin with parts ending in the box
      const edge = box.getBoundingClientRect().bottom;
      let number = Math.max(low, order.filter((part) => part.getBoundingClientRect().bottom <= edge).length);
      while (!show(number) && number > low) number--; // the count needs room as well
      return number;
    }
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (show(middle)) low = middle;
      else high = middle - 1;
    }
    show(low);
    return low;
  }
  count(box, hidden) {
    let line = box.querySelector(":scope > .more");
    if (!line && hidden) {
      line = Object.assign(document.createElement("p"), { className: "more" });
      (box.querySelector(":scope > .ws, :scope > .w:last-of-type, :scope > table") ?? box.lastElementChild).after(line);
    }
    const text = this.message(hidden + Number(line?.dataset.more ?? 0));
    if (line && line.textContent !== text) line.textContent = text;
  }
  next(forward) { // the hidden rows behind the ones in sight, and back
    const hidden = this.all(".cols > section, .trio > section").map((pane) => this.rows(pane)
      .findIndex((row, index) => index > this.from && row.matches(".over"))).filter((index) => index > 0);
    const from = forward ? Math.min(...hidden) : this.trail.pop() ?? 0;
    if (forward) this.trail.push(this.from);
    this.run(from < Infinity ? from : 0);
    this.stage.querySelector(".say")?.scrollBy({ top: forward ? 1e5 : -1e5 });
  }
}

class Flipbook extends Component {
  book = {}; // the last message from Python
  step = 0;
  nonce; // of Python's last seek
  reported; // the last step told to Python
  reportedAt = -Infinity; // when
  again = false; // whether the connection has come back since the last message: Python may have written an old step
  playing = false;
  speed = 1;
  following = false; // whether the end was asked for while the run grows: then the step goes along with it
  asks = 0; // how often more of it was asked for
  limit = null; // the last step before a question hides the run
  bounds = null; // the first and the last step of a class's bounds
  still = matchMedia("(prefers-reduced-motion: reduce)");
  actions = {
    first: () => this.go(this.begin()),
    back: () => this.go(this.step - 1),
    next: () => this.go(this.step + 1, 1),
    last: () => {
      this.go(this.book.last);
      this.following = Boolean(this.book.growth);
    },
    all: () => { // the words beyond the first few, at every step until they are folded again
      this.box.toggleAttribute("data-all");
      this.fit.run();
    },
    stop: () => this.trigger("stop", true), // once: a value would be sent again with the next run of this name
    play: () => this.play(!this.playing && this.book.last > 0),
    speed: () => this.nextSpeed(),
    before: () => this.jump(-1),
    after: () => this.jump(1),
  };

  constructor(root) {
    super(root, "ts-flipbook", BAR);
    this.box.role = "group";
    [this.range, this.where, this.live] = ["input", ".where", ".live"].map((selector) => this.part(selector));
    this.stage = new Stage(this.part(".stage"));
    this.line = new Timeline(this.part(".line"), root);
    this.fit = new Fit(this.box, this.stage, this.gone.signal);
    this.listen();
    this.listenOutside();
  }

  // --- its listeners
  listen() {
    const { box, range } = this, stage = this.stage.node;
    box.addEventListener("tokensteps:rows", ({ detail }) => this.fit.next(detail));
    box.addEventListener("tokensteps:go", ({ detail }) => this.lead(detail));
    box.addEventListener("tokensteps:peek", ({ detail }) => this.peek(detail));
    box.addEventListener("tokensteps:hold", ({ detail }) => this.hold(detail));
    box.addEventListener("tokensteps:keep", ({ detail }) => this.keep(detail));
    for (const event of ["pointerdown", "focusin"]) box.addEventListener(event, () => { document[BOOK] = box; });
    box.addEventListener("click", (event) => {
      if (!this.book.run) return; // it is on its way
      const node = event.target.closest("[data-do],[data-step],[data-pick]");
      const { do: what, step: to, pick, answer } = node?.dataset ?? {};
      if (to) this.go(Number(to), 1); // in the timeline or in a frame
      else if (what) this.actions[what]();
      else if (pick) this.stage.pick(pick);
      if (answer !== undefined) this.send("answer", [this.book.run, this.step, this.stage.chosen.picked]);
    });
    range.addEventListener("input", () => this.go(Number(range.value)));
    let touch; // by one finger: two of them zoom
    stage.addEventListener("pointerdown", (event) => {
      touch = event.pointerType === "touch" && event.isPrimary ? event : undefined;
    });
    stage.addEventListener("pointerup", (event) => { // a swipe turns the page
      const x = event.clientX - touch?.clientX, y = event.clientY - touch?.clientY; // NaN without a touch
      const swiped = Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y);
      if (swiped && getSelection().isCollapsed) this.actions[x < 0 ? "next" : "back"]();
    });
  }
  listenOutside() {
    const { signal } = this.gone, params = () => (this.book.param ? [this.book.param] : []);
    document.addEventListener("keydown", (event) => this.onKey(event), { signal });
    onEntry((event) => replaceIfOnly(params(), event), signal);
    document.addEventListener("tokensteps:again", () => { this.again = true; }, { signal });
    document.addEventListener("click", (event) => { // a link leads off the page; a report would reach the next one
      const link = linkOf(event), [here, there] = [location, link].map((one) => one?.href.split("#")[0]);
      if (!link || here === there) return;
      if (this.playing) this.play(false); // else its book may still be on its way
      this.cancel("tell");
      this.send = () => {};
    }, { signal, capture: true });
  }
  onKey(event) {
    const jumps = event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey && this.book.marks;
    const what = jumps ? JUMPING[event.key] : !hasModifier(event) && KEYS[event.key];
    if (!what || !this.book.run || event.defaultPrevented || isComposing(event)) return;
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (this.isTaken(what, path)) return;
    event.preventDefault(); // so that the scrubber doesn't step a second time
    if (what !== "play" || !event.repeat) this.actions[what]();
  }
  isTaken(what, path) { // whether a key on this path belongs to something else
    if (path.includes(this.box)) return what === "play" && path[0].closest("button,a,summary");
    // Of several flipbooks, the one touched last has the keys, else the page's own.
    const holder = [document[BOOK], document[MAIN], this.box].find((one) => one?.isConnected);
    const taken = what === "play" ? TAKES_SPACE : TAKES_ARROWS;
    return path.some((node) => node.matches(taken)) || holder !== this.box || !this.box.checkVisibility();
  }

  // --- steps
  frame() {
    return this.book.frames[this.step - this.book.first];
  }
  go(to, beat) {
    if (!this.book.run) return;
    this.play(false);
    this.move(to, beat);
  }
  jump(by) { // to the next marked step, or the one before
    const there = (this.book.marks ?? []).filter((step) => step >= this.begin() && step <= this.end());
    const ahead = there.filter((step) => Math.sign(step - this.step) === by);
    if (ahead.length) this.go(ahead.at(by > 0 ? 0 : -1), by > 0 ? 1 : 2);
  }
  move(to, beat = 2, led = false) {
    this.following = false;
    to = within(to, this.begin(), this.end());
    if (to === this.step) {
      this.range.value = to; // it may have been drawn beyond the end
      return;
    }
    this.step = this.range.value = to;
    // Before the step itself is told: a class's strip must know that it is its reader's own.
    if (!led && document[MAIN] === this.box) document.dispatchEvent(new Event("tokensteps:own"));
    this.draw(beat);
    this.later("say", SAY, () => { this.live.textContent = this.frame()?.say ?? ""; });
    // Where a class is led, hundreds step at once: Python needn't know unless it has to draw.
    if (led && this.frame()) this.cancel("tell");
    const wait = led && this.frame() ? SPREAD * Math.random() : REST;
    if (!led || this.nearEdge()) this.later("tell", wait, () => this.tell());
    // Ask in time for the next window, but let Python finish.
    if (!led && (this.nearEdge() || this.playing) && performance.now() - this.reportedAt > WAIT) this.tell();
  }
  lead(detail) { // to a class's step, or, for its lecturer, as if one had stepped oneself
    detail.there = detail.step <= this.book.last; // not without a book
    if (!detail.there) return;
    this.play(false);
    this.move(detail.step, 1, !detail.own);
  }
  peek(detail) { // the frames' words at some steps, if they are here
    const { first, frames } = this.book;
    detail.texts = detail.steps.map((step) => frames[step - first]?.say);
  }
  hold(step) { // a question is asked: nothing leads ahead of this step
    if (step === this.limit) return;
    this.limit = step;
    this.box.toggleAttribute("data-asked", step !== null);
    if (!this.book.run) return;
    if (step !== null) this.play(false);
    this.cancel("say");
    this.live.textContent = ""; // it may have told of the runner-up
    this.line.fill(this.book, this.begin(), this.end());
    if (this.step > this.end()) this.move(this.end(), 2, true); // it was ahead
    else this.draw();
  }
  keep(detail) { // a class is to stay between two steps; null: no longer
    const { steps } = detail;
    detail.beyond = Boolean(steps) && this.book.last > steps[1];
    if (`${steps}` === `${this.bounds}`) return;
    this.bounds = steps;
    if (!this.book.run) return;
    this.play(false);
    this.bound();
    this.line.fill(this.book, this.begin(), this.end());
    const to = within(this.step, this.begin(), this.end());
    if (to === this.step) this.draw();
    else this.move(to, 2, true);
  }
  bound() {
    [this.range.min, this.range.max] = this.excerpt();
  }
  excerpt() { // the first and the last step of the page's subject
    const { last, excerpt = [0, last] } = this.book, [first, end] = this.bounds ?? excerpt;
    return [Math.max(excerpt[0], first), Math.min(excerpt[1], end)].map((step) => Math.min(step, last));
  }
  begin() { // the first step to show
    return Math.min(this.excerpt()[0], this.end());
  }
  end() { // the last one
    return Math.min(this.excerpt()[1], this.limit ?? Infinity);
  }
  nearEdge() {
    const { first, frames, last } = this.book, end = first + frames.length - 1;
    return (first > 0 && this.step < first + AHEAD) || (end < last && this.step > end - AHEAD);
  }
  play(on) {
    this.playing = on;
    this.box.toggleAttribute("data-playing", on);
    this.name(this.button("play"), this.book.labels[on ? "pause" : "play"], "space");
    this.cancel("turn");
    if (on && this.step === this.end()) this.move(this.begin());
    if (on) this.later("turn", TURN / this.speed, () => {
      if (this.frame()) this.move(this.step + 1, 1); // else its window is on its way
      this.play(this.step < this.end());
    });
  }
  nextSpeed() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    this.showSpeed();
    this.play(this.playing);
  }

  // --- drawing
  draw(beat) { // without a beat the step hasn't changed: leave the present beat
    const page = this.frame(), { book, step, stage, where } = this;
    this.range.value = step;
    where.querySelector("b").textContent = book.before + separated(step);
    for (const what in BUTTONS) { // `disabled` would lose the focus
      const end = what === "first" || what === "back" ? this.begin() : this.end();
      this.button(what).ariaDisabled = step === end;
    }
    for (const what in JUMPS) this.button(what).hidden = !book.marks;
    this.box.toggleAttribute("data-stale", !page);
    if (beat && document[MAIN] === this.box) document.dispatchEvent(new Event("tokensteps:step"));
    if (beat) this.startBeat(beat === 1 && book.beats && page && !this.still.matches);
    if (page) {
      if (stage.show(this.limit === null ? page.html : withheld(page.html))) this.fit.run(0);
      where.querySelector("span").textContent = page.status && `${book.last ? "· " : ""}${page.status}`;
    }
    this.range.ariaValueText = [...where.children].slice(0, 2).map((part) => part.textContent).join(" ");
    this.line.go(step);
  }
  startBeat(two) { // of two beats the first, else the second at once
    const stage = this.stage.node;
    this.cancel("beat");
    stage.dataset.beat = two ? 1 : 2;
    if (two) this.later("beat", BEAT / (this.playing ? this.speed : 1), () => { stage.dataset.beat = 2; });
  }
  button(what) {
    return this.part(`[data-do="${what}"]`);
  }
  name(button, label, key) {
    button.ariaLabel = label;
    button.title = key ? `${label} (${this.book.labels[key] ?? key})` : label;
  }
  showSpeed() {
    const button = this.button("speed");
    button.textContent = `${this.speed}×`;
    this.name(button, `${this.book.labels.speed} ${this.speed}×`);
  }

  // --- to and from Python
  tell() {
    if (this.reported === this.step) return;
    [this.reported, this.reportedAt] = [this.step, performance.now()];
    this.writeAddress();
    this.send("step", [this.book.run, this.step, this.nonce]);
  }
  writeAddress() { // without an entry in the browser's history
    const { param } = this.book, there = new URL(location.href).searchParams.get(param);
    if (!param || there === String(this.step) || (!there && !this.step)) return;
    history.replaceState(history.state, "", withStep(location.href, param, this.step));
  }
  // The stage in the page's HTML waits until Streamlit's place for it is where it lies itself, and moves there.
  awaitPlace(root, ...args) {
    if (!this.target) requestAnimationFrame(() => this.watchPlace(performance.now() + PATIENCE));
    this.target = [root, args];
  }
  watchPlace(end) {
    if (this.gone.signal.aborted) return; // another book has taken its place
    const [root, args] = this.target, here = this.box.getBoundingClientRect();
    const there = root.host.getBoundingClientRect(), scrolled = this.root.host.parentElement.scrollTop;
    const fits = Math.abs(there.top - here.top - scrolled) < 1 && Math.abs(there.left - here.left) < 1;
    if (!root.isConnected) dropEarly();
    else if (fits || performance.now() > end) this.settle(root, args);
    else requestAnimationFrame(() => this.watchPlace(end));
  }
  settle(root, args) { // nothing of it changes
    const panes = [this.line.node, ...this.stage.all("[data-pane]")]
      .map((pane) => [pane, pane.scrollLeft, pane.scrollTop]);
    const active = this.root.activeElement, { scrollTop } = this.root.host.parentElement;
    delete this.root[MOUNTED];
    this.root = this.line.root = root;
    root[MOUNTED] = this;
    root.append(this.box);
    dropEarly();
    for (const [pane, ...scrolled] of panes) pane.scrollTo(...scrolled);
    active?.focus({ preventScroll: true });
    root.host.closest('[data-testid="stMain"]').scrollTop = scrollTop;
    [this.reported, this.nonce] = headOf(args[0]).seek; // Python needn't lead anywhere, and hears of the steps since
    this.later("tell", REST, () => this.tell());
    this.connect(...args);
  }
  async connect(data, setStateValue, setTriggerValue) {
    [this.send, this.trigger] = [setStateValue, setTriggerValue];
    if (data === this.data) return;
    this.data = data;
    this.box.toggleAttribute("data-awaits", true); // until then, its step is the last run's
    const next = typeof data === "string" ? JSON.parse(data) : await unpacked(data);
    if (data === this.data) this.receive(next);
  }
  receive(next) {
    // A session's first seek is for a page without a book. A page with one has lost its session: its own step counts,
    // also where the book went away because the new session first had to make its run.
    const other = next.run !== this.book.run, [left, step] = document[LEFT] ?? [];
    const back = !this.book.run && left === next.run, lost = (other ? back : this.nonce !== 1) && next.seek[1] === 1;
    if (lost && back) this.step = step;
    const seeks = !lost && (other || next.seek[1] !== this.nonce);
    const [before, behind] = filled(next.labels.step, { last: separated(next.last) }).split("{step}");
    [this.book, this.nonce, this.reportedAt] = [{ ...next, before }, next.seek[1], -Infinity];
    if (seeks) {
      this.play(false);
      this.following = false;
      this.step = this.reported = within(next.seek[0], 0, next.last);
      this.cancel("tell");
    }
    if (next.param) document[MAIN] = this.box;
    if (other) this.start(next);
    this.measure(next, behind);
    this.line.fill(next, this.begin(), this.end());
    this.draw(other || seeks ? 2 : undefined);
    this.box.toggleAttribute("data-awaits", false);
    if (next.param) document.dispatchEvent(new Event("tokensteps:stage")); // at its step, for the class's messages
    if (seeks || this.again) this.writeAddress();
    this.again = false;
    if (lost) this.reported = next.seek[0];
    // Led away, without a word to Python, while these frames were on their way: they don't go as far.
    if (lost || (seeks && this.bounds) || !this.frame()) this.later("tell", REST, () => this.tell());
    this.grow(next);
  }
  measure({ last }, behind) { // it changes in a growing run
    this.step = within(this.step, this.begin(), this.end()); // whatever Python's seek
    this.where.querySelector("p").lastChild.data = behind;
    this.bound();
    this.box.toggleAttribute("data-still", !last);
    this.box.style.setProperty("--digits", Math.max(3, String(last).length));
  }
  grow({ growth, last }) { // a run still under way: its progress, and more of it soon
    const part = this.part(".growth"), [text, stop, pause] = growth ?? ["", ""];
    part.hidden = !text;
    part.firstChild.textContent = text;
    if (stop && !part.children[1]) part.insertAdjacentHTML("beforeend", STOP); // else it keeps the focus
    if (stop) part.children[1].title = part.children[1].ariaLabel = stop;
    else part.children[1]?.remove();
    this.cancel("grow");
    if (this.following) {
      this.move(last);
      this.following = Boolean(growth);
    }
    if (growth) this.later("grow", 1000 * pause, () => this.ask());
  }
  ask() {
    this.send("grow", [this.book.run, ++this.asks, this.following]);
    this.later("grow", LOST, () => this.ask());
  }
  close() {
    if (this.book.param) document[LEFT] = [this.book.run, this.step];
    this.data = undefined; // a book still on its way is for the page left
    super.close();
  }
  start({ labels }) { // another run, or another language
    const focus = document.activeElement;
    if (focus?.matches(CHOOSER)) focus.blur(); // now the keys are the book's
    this.stage.chosen = { picked: "" };
    const { box, range, line, stage } = this;
    for (const what in BUTTONS) this.name(this.button(what), labels[what], BUTTONS[what][1]);
    for (const what in JUMPS) this.name(this.button(what), labels[what] ?? "", JUMPS[what][1]);
    for (const [selector, key] of [["h2", "title"], [".off i", "play"], [".on i", "pause"], [".wait", "loading"]]) {
      this.part(selector).textContent = labels[key];
    }
    this.fit.receive(labels);
    [box.ariaLabel, range.ariaLabel] = [labels.title, labels.scrubber];
    [line.node.ariaLabel, stage.node.ariaLabel] = [labels.timeline, labels.stage];
    this.showSpeed();
  }
}

function withheld(html) { // a frame without parts that lead ahead: neither seen nor found nor read out
  const page = make("template", { innerHTML: html });
  for (const node of page.content.querySelectorAll(LEADS)) node.remove();
  for (const node of page.content.querySelectorAll(".why")) node.textContent = "";
  return page.innerHTML;
}

function keepInSight(node, pane) { // scrolls the pane alone, never the page
  const a = node.getBoundingClientRect(), b = pane.getBoundingClientRect();
  pane.scrollBy(shift(a.left, a.right, b.left, b.right), shift(a.top, a.bottom, b.top, b.bottom));
}
function shift(from, to, start, end) { // how far to scroll; a part larger than the pane, or well within it, stays
  const room = Math.min(96, (end - start) / 4);
  const fits = to - from < end - start, inside = from >= start + room && to <= end - room;
  return fits && !inside ? (from + to - start - end) / 2 : 0;
}

// A line of JSON, then a payload under gzip; the line amends it.
const headOf = (data) => JSON.parse(new TextDecoder().decode(data.subarray(0, data.indexOf(10))));
async function unpacked(data) {
  const packed = new Blob([data.subarray(data.indexOf(10) + 1)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return { ...await new Response(stream).json(), ...headOf(data) };
}

function withStep(href, param, step) { // other parameters keep their exact spelling: Streamlit compares it
  const url = new URL(href), pattern = new RegExp(`([?&]${param}=)[^&]*`);
  const added = `${url.search || "?"}${url.search ? "&" : ""}${param}=${step}`;
  url.search = pattern.test(url.search) ? url.search.replace(pattern, `$1${step}`) : added;
  return url.href;
}

export default function flipbook({ data, parentElement: root, setStateValue, setTriggerValue }) {
  const early = document[EARLY]?.[MOUNTED], fresh = !root[MOUNTED] && typeof data !== "string";
  if (early?.book.run && fresh && headOf(data).run === early.book.run) {
    early.awaitPlace(root, data, setStateValue, setTriggerValue);
    return () => setTimeout(() => root.isConnected || root[MOUNTED]?.close());
  }
  return mount(Flipbook, root, data, setStateValue, setTriggerValue);
}
