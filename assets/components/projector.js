// Projector mode, on every page: large type and nothing beside it. `P` leads in and out, Escape out; the keys of a
// presenter's clicker work in it: Page Down and Page Up step, `b` or `.` makes the screen black, F5 projects the next
// panel of the page. `?` shows all keys. The look is projector.css, under html[data-projector]; the browser keeps the
// mode over a reload. Every word comes with the data.

const MEMORY = "tokensteps.projector", MODE = "data-projector", SCALE = "--ts-projector";
const PANEL = "data-panel", PROJECTED = "data-projected"; // on the document, and on a projected part of the page
const ASKED = "data-class-asked"; // on the document: a class is asked about a step, and the tabs would tell
const ZOOM = "--ts-zoom", ZOOMS = [1.6, 1.45, 1.3, 1.15, 1]; // of a panel: the first with its picture whole
const HEIGHT = 720, WIDTH = 1140; // px: in a window of this size, type is as large as projector.css says
const EDGE = 8; // px
const SOON = 150; // ms, until a live region may tell of changes
const AGAIN = 900; // ms, in which a clicker reveals only one answer
// Parts for projecting by themselves, beside the stage and the tabs; and the parts of a panel to keep in sight.
const PARTS = ".st-key-playground-chips, .st-key-pipeline-view";
const PICTURE = '[data-testid="stBidiComponentIsolated"], .js-plotly-plot, .ts.chat, '
  + '[data-testid="stDataFrame"], .findings';
const REVEAL = '[class*="-predict-give_up"] button';

const EDITABLE = 'textarea,select,[contenteditable]:not([contenteditable="false"])';
const LETTERS = 'input:not([type="checkbox"],[type="radio"],[type="range"],[type="button"],[type="submit"]),'
  + `${EDITABLE},${LISTS}${roles("textbox searchbox combobox grid treegrid menu application dialog")}`;
const PAGES = `${EDITABLE},canvas,[role="combobox"][aria-expanded="true"],${LISTS}` // users of Page Up and Down
  + roles("grid treegrid slider spinbutton dialog");
const ROWS = `${PAGES},input:not([type="text"]),`
  + roles("listbox combobox tab tablist radio radiogroup menuitem option");
const OPEN = '[role="combobox"][aria-expanded="true"],[data-baseweb="popover"],' // closed first by Escape
  + '[role="dialog"]:not(.ts-blackout, .ts-projector > *), .ts-projector > :popover-open';
const SILENT = /^(F(?!5$)\d+|Shift|Control|Alt|Meta|AltGraph|CapsLock)$/; // keys that leave the screen black

const stage = () => (document[MAIN]?.isConnected && document[MAIN].checkVisibility() ? document[MAIN] : null);
const scroller = () => document.querySelector('[data-testid="stMain"]') ?? document.scrollingElement;
const goesOn = ({ scrollTop, scrollHeight, clientHeight }, forward) => // whether a pane has more of it there
  (forward ? scrollTop + clientHeight < scrollHeight - 1 : scrollTop > 1);
const isLost = (node) => node !== document.body && !node?.checkVisibility();

// A black screen over everything.
class Blackout {
  node = Object.assign(document.createElement("div"), {
    className: "ts-blackout", popover: "manual", role: "dialog", tabIndex: -1,
  });
  was; // the focus before

  constructor() {
    document.body.append(this.node);
    this.node.addEventListener("click", () => this.turn(false));
  }
  isOn() {
    return this.node.matches(":popover-open");
  }
  turn(want) {
    if (want === this.isOn()) return;
    if (want) {
      this.was = focused();
      this.node.showPopover();
      this.node.focus();
    } else {
      this.node.hidePopover();
      this.node.blur();
      if (this.was !== document.body) this.was?.focus({ preventScroll: true });
    }
  }
}

// A pointer and a pen. Drawings lie over everything, and go with the step.
class Ink {
  node = Object.assign(document.createElement("div"), {
    className: "ts-ink", popover: "manual", ariaHidden: "true", innerHTML: "<svg></svg><i></i>",
  });
  tool = ""; // "pen" or "pointer"
  pointer; // the one that draws now,
  line; // and what it draws

  constructor() {
    document.body.append(this.node);
    [this.sheet, this.dot] = this.node.children;
    const point = (event) => [event.clientX, event.clientY].map(Math.round).join();
    this.node.addEventListener("pointerdown", (event) => {
      if (this.tool !== "pen" || !event.isPrimary || event.button) return;
      event.preventDefault(); // the focus stays
      if (this.pointer?.pointerType === "pen" && event.pointerType === "touch") return; // a resting hand
      if (this.pointer) this.line.remove(); // it came down before the pen
      this.pointer = event;
      this.node.setPointerCapture(event.pointerId);
      this.line = document.createElementNS(this.sheet.namespaceURI, "polyline");
      this.line.setAttribute("points", `${point(event)} ${point(event)}`);
      this.sheet.append(this.line);
    });
    addEventListener("pointermove", (event) => {
      this.dot.style.translate = `${event.clientX}px ${event.clientY}px`;
      if (event.pointerId !== this.pointer?.pointerId) return;
      this.line.setAttribute("points", `${this.line.getAttribute("points")} ${point(event)}`);
    }, { passive: true });
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, (event) => {
        if (event.pointerId === this.pointer?.pointerId) this.pointer = undefined;
      });
    }
  }
  turn(tool) { // the same one a second time: off
    this.tool = tool === this.tool ? "" : tool;
    this.node.dataset.tool = this.tool;
    this.node.togglePopover(this.tool !== "" || this.isDrawn());
  }
  isDrawn() {
    return this.sheet.hasChildNodes();
  }
  clear() {
    this.sheet.replaceChildren();
    this.pointer = undefined;
    this.node.togglePopover(this.tool !== "");
  }
}

class Projector {
  page = document.documentElement;
  still = matchMedia("(prefers-reduced-motion: reduce)");
  black = new Blackout();
  ink = new Ink();
  panel = 0; // among `panels()`
  opened = 0; // the panel of the open tab at the first request for a panel
  revealed = -Infinity; // when the clicker did it last
  spent = false; // whether the key now held has ended the black screen: its repetitions do nothing more
  watch = new ResizeObserver(() => this.fitPanel());
  labels = {};
  start; // the button to this mode
  was; // the focus before the mode,
  initial; // and in its beginning
  leaving = false; // the full screen, at the mode's own request
  open = false; // whether Escape closes something else first

  constructor() {
    const markup = `<button type="button">${icon("M4 4l8 8M12 4l-8 8")}</button><button type="button">?</button>
      <p role="status"></p><section popover role="dialog" tabindex="-1"><h2></h2><dl></dl></section>`;
    const bar = Object.assign(document.createElement("div"), { className: "ts-projector", innerHTML: markup });
    document.body.append(bar);
    this.bar = bar;
    [this.exit, this.help, this.status, this.sheet] = bar.children;
    this.exit.addEventListener("click", () => this.turn(false));
    this.help.popoverTargetElement = this.sheet;
    this.sheet.autofocus = true; // keys scroll it; when it is closed, the browser gives the focus back
    this.listen();
    this.page.toggleAttribute(MODE, this.isRemembered());
    this.fitIfOn();
  }
  listen() {
    addEventListener("keydown", (event) => this.onAnyKey(event), true);
    addEventListener("keydown", (event) => this.onKey(event)); // after everything else on the page
    addEventListener("resize", () => this.fitIfOn());
    document.addEventListener("tokensteps:stage", () => this.fitIfOn()); // another book may be the page's
    document.addEventListener("tokensteps:panel", ({ detail }) => this.showPanel(detail));
    document.addEventListener("tokensteps:step", () => this.ink.clear());
    addEventListener("scroll", () => this.ink.clear(), { capture: true, passive: true });
    onEntry((event) => { // another page has other panels
      const [from, to] = leftFor(event);
      if (from.pathname !== to.pathname) this.project(0);
    });
    document.addEventListener("fullscreenchange", () => {
      if (document.fullscreenElement) return;
      if (!this.leaving) this.leftFullscreen();
      this.leaving = false;
    });
  }
  isOn() {
    return this.page.hasAttribute(MODE);
  }
  isRemembered() {
    try { return sessionStorage.getItem(MEMORY) !== null; } catch { return false; } // a sandboxed frame
  }
  remember(on) {
    try {
      if (on) sessionStorage.setItem(MEMORY, "on");
      else sessionStorage.removeItem(MEMORY);
    } catch { /* then a reload leaves the mode */ }
  }

  // --- in and out
  turn(want) {
    if (want === this.isOn()) return;
    const active = focused();
    this.page.toggleAttribute(MODE, want);
    this.remember(want);
    this.project(0);
    if (this.ink.tool) this.ink.turn(this.ink.tool);
    if (!want) this.sheet.hidePopover();
    this.fit();
    if (want) this.enter(active);
    else this.leave(active);
    this.status.textContent = "";
    if (want) setTimeout(() => { this.status.textContent = this.labels.started; }, SOON);
  }
  enter(active) { // where the full screen is refused, the mode works the same in the window
    const entered = () => (this.isOn() ? navigator.keyboard?.lock?.(["Escape"]) : this.leaveFullscreen());
    this.page.requestFullscreen?.().then(entered).catch(() => {}); // Escape is a key of the page's, where it may be
    this.was = active;
    this.initial = isLost(active) ? stage()?.querySelector('[data-do="next"]') ?? scroller() : null;
    this.initial?.focus({ preventScroll: true });
  }
  leave(active) {
    if (document.fullscreenElement) this.leaveFullscreen();
    if (!isLost(active) && active !== this.initial) { // it has moved: the type is small again
      if (![document.body, scroller()].includes(active)) active.scrollIntoView({ block: "nearest" });
      return;
    }
    const target = [this.was, this.start].find((one) => one?.isConnected && one.checkVisibility());
    target?.focus({ preventScroll: true });
  }
  leaveFullscreen() { // that takes a while, and the mode may be on again by then: in the window
    this.leaving = true;
    document.exitFullscreen().catch(() => { this.leaving = false; }); // it had left already
  }
  leftFullscreen() { // some browsers keep the Escape that ends it to themselves: it ends the black screen first
    if (this.black.isOn()) this.black.turn(false);
    else this.turn(false);
  }
  fitIfOn() {
    if (this.isOn()) this.fit();
  }
  fit() { // type grows with the window; a tall one has more lines of it
    const { colorScheme } = getComputedStyle(document.querySelector(".stApp") ?? this.page); // need not be the system's
    for (const node of [this.bar, this.ink.node]) node.style.colorScheme = colorScheme;
    const scale = Math.max(0.6, Math.min(innerHeight / HEIGHT, innerWidth / WIDTH));
    this.page.style.setProperty(SCALE, scale.toFixed(3));
    const book = document[MAIN], line = book?.querySelector(".line"), now = line?.querySelector(".now");
    book?.toggleAttribute(MODE, this.isOn());
    this.fitPanel();
    if (!now) return;
    const shift = now.getBoundingClientRect().left - line.getBoundingClientRect().left - line.clientWidth / 2;
    line.scrollLeft += shift / (line.currentCSSZoom ?? 1); // its entries have other widths now
  }

  // --- panels: the stage, or the page as it is; then parts of the page, and each of its tabs
  panels() {
    const parts = [...document.querySelectorAll(PARTS)].map((node) => ({ node }));
    const tabs = this.page.hasAttribute(ASKED) ? [] : tabsOfPage();
    return [null, ...parts, ...tabs.map((tab) => ({ node: tab.closest(TABS), tab }))];
  }
  project(number) {
    const panels = this.panels(), index = panels[number] ? number : 0, { node, tab } = panels[index] ?? {};
    this.panel = index;
    this.ink.clear();
    this.page.toggleAttribute(PANEL, index > 0);
    if (!index) this.page.style.removeProperty(ZOOM);
    if (tab?.ariaSelected === "false") tab.click();
    if (index) this.place(0);
    this.mark(node);
  }
  place(top) {
    scroller().scrollTo({ top, behavior: "instant" });
    this.placed = scroller().scrollTop;
  }
  showPanel(open) { // the open tab's, as a plan's subject; or the stage
    if (this.isOn()) this.project(open ? this.panels().findIndex((panel) => panel?.tab?.ariaSelected === "true") : 0);
  }
  mark(node) {
    for (const other of document.querySelectorAll(`[${PROJECTED}]`)) other.removeAttribute(PROJECTED);
    this.watch.disconnect();
    if (!node) return;
    node.setAttribute(PROJECTED, "");
    this.watch.observe(node);
  }
  fitPanel() {
    if (!this.panel) return;
    const { node } = this.panels()[this.panel] ?? {};
    if (!node) this.project(0); // it has left the page
    else if (!node.hasAttribute(PROJECTED)) this.mark(node); // drawn anew
    else this.zoom(node);
  }
  zoom(node) {
    const large = (one) => one.clientHeight > 99 || one.matches(".findings");
    const { scrollTop } = scroller(), isOurs = scrollTop <= this.placed; // a panel comes in parts; a reader goes on
    if (isOurs) this.place(0);
    const picture = [...node.querySelectorAll(PICTURE)].find((one) => one.checkVisibility() && large(one));
    for (const zoom of picture ? ZOOMS : ZOOMS.slice(0, 3)) {
      this.page.style.setProperty(ZOOM, zoom);
      if ((picture ?? node).getBoundingClientRect().height <= innerHeight - 2 * EDGE) break;
    }
    const { top, bottom } = (picture ?? node).getBoundingClientRect();
    // Below boxes; further below, it isn't the panel's first subject.
    if (isOurs && picture && top < innerHeight && bottom > innerHeight) this.place(top - EDGE);
  }
  book() { // the flipbook for the keys: in the panel, else the page's own, though another panel may hide it
    const { node } = this.panels()[this.panel] ?? {};
    const there = node?.querySelectorAll(':not([data-turning="asked"] *)') ?? []; // without another tab's parts
    const inside = [...there].map((one) => one.shadowRoot?.querySelector(".ts-flipbook"));
    const own = document[MAIN]?.isConnected ? document[MAIN] : null;
    return inside.find((one) => one?.checkVisibility()) ?? (node ? own : stage());
  }

  // --- keys
  onAnyKey(event) { // before anything else on the page
    this.open = event.key === "Escape" && [...document.querySelectorAll(OPEN)].some((node) => node.checkVisibility());
    if (event.ctrlKey || event.metaKey || SILENT.test(event.key)) return;
    if (!event.repeat) this.spent = this.black.isOn();
    if (!this.black.isOn() && !(event.repeat && this.spent)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) this.black.turn(false); // a repetition is of the key that has made it black
  }
  onKey(event) {
    const { key, ctrlKey, altKey, metaKey } = event; // French keyboards, say, have figures and “.” with Shift
    const modified = /^[1-9.?]$/.test(key) ? ctrlKey || altKey || metaKey : hasModifier(event);
    if (event.defaultPrevented || modified || isComposing(event)) return;
    const act = this.actionOf(event);
    if (!act) return;
    act();
    event.preventDefault();
  }
  actionOf(event) { // undefined where the key is somebody else's
    const key = keyOf(event);
    const path = event.composedPath().filter((node) => node instanceof Element);
    const isFree = (taken) => !path.some((node) => node.matches(taken));
    const isLetter = isFree(LETTERS) || path.includes(this.sheet);
    if (key === "p") return !event.repeat && isLetter ? () => this.turn(!this.isOn()) : undefined;
    if (!this.isOn()) return undefined;
    if (key === "Escape") return this.open ? undefined : () => this.back();
    if (key === "F5") return () => event.repeat || this.nextPanel(); // a clicker's “start”; Ctrl+R still reloads
    if (this.letters[key]) return !event.repeat && isLetter ? this.letters[key] : undefined;
    if (/^[1-9]$/.test(key)) return isLetter ? () => this.project(Number(key) - 1) : undefined;
    const down = /Down$/.test(key);
    if (key === "ArrowDown" || key === "ArrowUp") return isFree(ROWS) ? () => this.showRows(down) : undefined;
    if (key === "ArrowRight" || key === "ArrowLeft") { // the hidden stage doesn't hear them
      return this.panel && isFree(ROWS) ? () => this.turnPage(key === "ArrowRight") : undefined;
    }
    if (key !== "PageDown" && key !== "PageUp") return undefined;
    return path.includes(stage()) || isFree(PAGES) ? () => this.turnPage(down, event.repeat) : undefined;
  }
  letters = {
    "b": () => this.black.turn(true),
    ".": () => this.black.turn(true),
    "v": () => this.nextPanel(),
    "d": () => this.ink.turn("pen"),
    "l": () => this.ink.turn("pointer"),
    "Delete": () => this.ink.clear(),
    "Backspace": () => this.ink.clear(),
    "?": () => this.sheet.togglePopover(),
  };
  back() { // one thing after the other
    if (this.ink.tool) this.ink.turn(this.ink.tool);
    else if (this.panel) this.project(0);
    else this.turn(false);
  }
  nextPanel() { // round the tabs from the page's open one: a plan may have opened it
    const panels = this.panels(), at = (part) => panels.map((_, index) => index).filter((index) => part(panels[index]));
    if (!this.panel) this.opened = at((panel) => panel?.tab?.ariaSelected === "true")[0] ?? 0;
    const tabs = at((panel) => panel?.tab), turn = Math.max(0, tabs.indexOf(this.opened));
    const order = [...at((panel) => !panel?.tab), ...tabs.slice(turn), ...tabs.slice(0, turn)];
    this.project(order[(order.indexOf(this.panel) + 1) % order.length]);
  }
  showRows(forward) { // the rows left out for want of room; of a page or a panel, the next part
    const pane = this.panes().find((one) => one?.checkVisibility() && goesOn(one, forward));
    if (pane) pane.scrollBy({ top: (forward ? 0.8 : -0.8) * pane.clientHeight, behavior: "instant" });
    else if (stage()) stage().dispatchEvent(new CustomEvent("tokensteps:rows", { detail: forward }));
    else this.scroll(forward ? 0.4 : -0.4);
  }
  panes() { // with rows of their own: a class's question, and the lists of a panel
    const parts = document.querySelectorAll(`.ts-class-wall, [${PROJECTED}] *`);
    return [...parts].flatMap((one) => (one.matches(".ts-class-wall") ? one
      : [...one.shadowRoot?.querySelectorAll(".ts-chips > .pane, .ts-chips > .ids > p") ?? []]));
  }
  scroll(share) {
    scroller().scrollBy({ top: share * innerHeight, behavior: this.still.matches ? "instant" : "smooth" });
  }
  // The next step or, where a question hides it, the answer; of a page without steps, the next part.
  turnPage(forward, held = false) {
    const button = this.book()?.querySelector(`[data-do="${forward ? "next" : "back"}"]`);
    const reveal = forward && button?.ariaDisabled === "true" ? document.querySelector(REVEAL) : null;
    if (!button) this.scroll(forward ? 0.85 : -0.85);
    else if (!reveal?.checkVisibility()) button.click();
    else if (!held && performance.now() - this.revealed > AGAIN) {
      this.revealed = performance.now();
      reveal.click();
    }
  }

  receive(labels, button) {
    [this.labels, this.start] = [labels, button];
    this.exit.ariaLabel = this.exit.title = `${labels.leave} (Esc)`;
    this.help.ariaLabel = this.help.title = `${labels.keys} (?)`;
    const [title, list] = this.sheet.children, part = (name, textContent) =>
      Object.assign(document.createElement(name), { textContent });
    title.textContent = this.sheet.ariaLabel = labels.keys;
    list.replaceChildren(...labels.sheet.flatMap(([keys, meaning]) => [part("dt", keys), part("dd", meaning)]));
    this.black.node.ariaLabel = labels.black;
  }
}

// One projector for the whole page, and a button wherever Python mounts one.
export default function projector({ data, parentElement: root }) {
  document[PROJECTOR] ??= new Projector();
  let button = root.querySelector(".ts-projector-start");
  if (!button) {
    button = make("button", { type: "button", className: "ts-head-button ts-projector-start" });
    button.setAttribute("aria-keyshortcuts", "P");
    button.addEventListener("click", () => document[PROJECTOR].turn(!document[PROJECTOR].isOn()));
    root.append(button);
  }
  button.innerHTML = `${icon("M2 3.5h12v7.5H2zM8 11v3M5.5 14h5")}<span></span>`;
  button.lastChild.textContent = data.name;
  button.ariaLabel = button.title = `${data.name} (P)`;
  document[PROJECTOR].receive(data, button);
  if (document[HASTE]) document[PROJECTOR].turn(true);
  delete document[HASTE];
}
