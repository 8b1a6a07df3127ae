// Projector mode, on every page: large type and nothing beside it. `P` leads in and out, Escape out; the keys of a
// presenter's clicker work in it: Page Down and Page Up step, `b` or `.` makes the screen black. The look is
// projector.css, under html[data-projector]; the browser keeps the mode over a reload. Every word comes with the data.

const PROJECTOR = Symbol.for("tokensteps.projector"); // on the document: the one for the whole page
const MEMORY = "tokensteps.projector", MODE = "data-projector", SCALE = "--ts-projector";
const HEIGHT = 720, WIDTH = 1140; // px: in a window of this size, type is as large as projector.css says
const SOON = 150; // ms, until a live region may tell of what has changed

const EDITABLE = 'textarea,select,[contenteditable]:not([contenteditable="false"])';
const LETTERS = 'input:not([type="checkbox"],[type="radio"],[type="range"],[type="button"],[type="submit"]),'
  + `${EDITABLE},${roles("textbox searchbox combobox listbox grid treegrid menu application dialog")}`;
const PAGES = `${EDITABLE},canvas,[role="combobox"][aria-expanded="true"],` // what uses Page Up and Page Down itself
  + roles("listbox grid treegrid slider spinbutton dialog");
const OPEN = '[role="combobox"][aria-expanded="true"],[data-baseweb="popover"],' // what Escape closes first
  + '[role="dialog"]:not(.ts-blackout)';
const SILENT = /^(F\d+|Shift|Control|Alt|Meta|AltGraph|CapsLock)$/; // keys that leave the screen black

const stage = () => (document[MAIN]?.isConnected && document[MAIN].checkVisibility() ? document[MAIN] : null);
const scroller = () => document.querySelector('[data-testid="stMain"]') ?? document.scrollingElement;
const leaveFullscreen = () => document.exitFullscreen().catch(() => {}); // it had left already
const isLost = (held) => held !== document.body && !held?.checkVisibility();

// A black screen over everything.
class Blackout {
  node = Object.assign(document.createElement("div"), {
    className: "ts-blackout", popover: "manual", role: "dialog", tabIndex: -1,
  });
  was; // what had the focus before

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

class Projector {
  page = document.documentElement;
  still = matchMedia("(prefers-reduced-motion: reduce)");
  black = new Blackout();
  labels = {};
  start; // the button that leads here
  was; // what had the focus before the mode,
  given; // and what got it then
  open = false; // whether Escape closes something else first

  constructor() {
    const markup = `<button type="button">${icon("M4 4l8 8M12 4l-8 8")}</button><p role="status"></p>`;
    const bar = Object.assign(document.createElement("div"), { className: "ts-projector", innerHTML: markup });
    document.body.append(bar);
    [this.exit, this.status] = bar.children;
    this.exit.addEventListener("click", () => this.turn(false));
    this.listen();
    this.page.toggleAttribute(MODE, this.isRemembered());
    this.fitIfOn();
  }
  listen() {
    addEventListener("keydown", (event) => this.onAnyKey(event), true);
    addEventListener("keydown", (event) => this.onKey(event)); // after everything else on the page
    addEventListener("resize", () => this.fitIfOn());
    document.addEventListener("tokensteps:stage", () => this.fitIfOn()); // another book may be the page's
    document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) this.turn(false); });
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
    const held = focused();
    this.page.toggleAttribute(MODE, want);
    this.remember(want);
    this.fit();
    if (want) this.enter(held);
    else this.leave(held);
    this.status.textContent = "";
    if (want) setTimeout(() => { this.status.textContent = this.labels.started; }, SOON);
  }
  enter(held) { // where the full screen is refused, the mode works the same in the window
    this.page.requestFullscreen?.().then(() => this.isOn() || leaveFullscreen(), () => {});
    this.was = held;
    this.given = isLost(held) ? stage()?.querySelector('[data-do="next"]') ?? scroller() : null;
    this.given?.focus({ preventScroll: true });
  }
  leave(held) {
    if (document.fullscreenElement) leaveFullscreen();
    if (!isLost(held) && held !== this.given) return;
    const back = [this.was, this.start].find((one) => one?.isConnected && one.checkVisibility());
    back?.focus({ preventScroll: true });
  }
  fitIfOn() {
    if (this.isOn()) this.fit();
  }
  fit() { // type grows with the window; a tall one has more lines of it
    const scale = Math.max(0.6, Math.min(innerHeight / HEIGHT, innerWidth / WIDTH));
    this.page.style.setProperty(SCALE, scale.toFixed(3));
    const book = document[MAIN], line = book?.querySelector(".line"), now = line?.querySelector(".now");
    book?.toggleAttribute(MODE, this.isOn());
    if (!now) return;
    const shift = now.getBoundingClientRect().left - line.getBoundingClientRect().left - line.clientWidth / 2;
    line.scrollLeft += shift / (line.currentCSSZoom ?? 1); // its entries have other widths now
  }

  // --- keys
  onAnyKey(event) { // before anything else on the page
    this.open = event.key === "Escape" && document.querySelector(OPEN) !== null;
    if (!this.black.isOn() || event.ctrlKey || event.metaKey || SILENT.test(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.black.turn(false);
  }
  onKey(event) {
    if (event.defaultPrevented || hasModifier(event) || event.isComposing) return;
    const act = this.actionOf(event);
    if (!act) return;
    act();
    event.preventDefault();
  }
  actionOf(event) { // undefined where the key is somebody else's
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const path = event.composedPath().filter((node) => node instanceof Element);
    const isFree = (taken) => !path.some((node) => node.matches(taken));
    if (key === "p") return !event.repeat && isFree(LETTERS) ? () => this.turn(!this.isOn()) : undefined;
    if (!this.isOn()) return undefined;
    if (key === "Escape") return this.open ? undefined : () => this.turn(false);
    if (key === "b" || key === ".") return !event.repeat && isFree(LETTERS) ? () => this.black.turn(true) : undefined;
    if (key !== "PageDown" && key !== "PageUp") return undefined;
    return path.includes(stage()) || isFree(PAGES) ? () => this.turnPage(key === "PageDown") : undefined;
  }
  turnPage(forward) { // the stage's next step, or the next part of a page that has none
    const book = stage(), behavior = this.still.matches ? "instant" : "smooth";
    if (book) book.querySelector(`[data-do="${forward ? "next" : "back"}"]`).click();
    else scroller().scrollBy({ top: (forward ? 0.85 : -0.85) * innerHeight, behavior });
  }

  receive(labels, button) {
    [this.labels, this.start] = [labels, button];
    this.exit.ariaLabel = this.exit.title = `${labels.leave} (Esc)`;
    this.black.node.ariaLabel = labels.black;
  }
}

// One projector for the whole page, and a button wherever Python mounts one.
export default function projector({ data, parentElement: root }) {
  document[PROJECTOR] ??= new Projector();
  let button = root.querySelector(".ts-projector-start");
  if (!button) {
    button = Object.assign(document.createElement("button"), { type: "button", className: "ts-projector-start" });
    button.setAttribute("aria-keyshortcuts", "P");
    button.addEventListener("click", () => document[PROJECTOR].turn(!document[PROJECTOR].isOn()));
    root.append(button);
  }
  button.innerHTML = `${icon("M2 3.5h12v7.5H2zM8 11v3M5.5 14h5")}<span></span>`;
  button.lastChild.textContent = data.name;
  button.ariaLabel = button.title = `${data.name} (P)`;
  document[PROJECTOR].receive(data, button);
}
