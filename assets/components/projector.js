// Projector mode, on every page: large type and nothing beside it. `P` leads in and out, Escape out; the keys of a presenter's
// clicker work in it: Page Down and Page Up step, `b` or `.` makes the screen black. The look is projector.css, under
// html[data-projector]; the browser keeps the mode over a reload. Every word comes with the data.

const PROJECTOR = Symbol.for("tokensteps.projector"), MAIN = Symbol.for("tokensteps.stage"), MEMORY = "tokensteps.projector";
const MODE = "data-projector", SCALE = "--ts-projector", HEIGHT = 720, WIDTH = 1140; // px: a window of this size has the type of projector.css as it is
const icon = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
const LETTERS = 'input:not([type="checkbox"],[type="radio"],[type="range"],[type="button"],[type="submit"]),textarea,select,[contenteditable]:not([contenteditable="false"]),'
  + "textbox searchbox combobox listbox grid treegrid menu application dialog".split(" ").map((role) => `[role="${role}"]`).join();
const PAGES = 'textarea,select,canvas,[contenteditable]:not([contenteditable="false"]),[role="combobox"][aria-expanded="true"],'
  + "listbox grid treegrid slider spinbutton dialog".split(" ").map((role) => `[role="${role}"]`).join(); // what uses Page Up and Page Down itself
const OPEN = '[role="combobox"][aria-expanded="true"],[data-baseweb="popover"],[role="dialog"]:not(.ts-blackout)'; // what Escape closes first

function bind() {
  const page = document.documentElement, bar = document.createElement("div"), black = document.createElement("div");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  bar.className = "ts-projector";
  bar.innerHTML = `<button type="button">${icon("M4 4l8 8M12 4l-8 8")}</button><p role="status"></p>`;
  Object.assign(black, { className: "ts-blackout", popover: "manual", role: "dialog", tabIndex: -1 });
  document.body.append(bar, black);
  const [exit, status] = bar.children;
  let labels = {}, start, was, given, lit, open = false; // `was` had the focus before the mode, `given` got it then, `lit` had it before the black screen

  const on = () => page.hasAttribute(MODE);
  const stage = () => (document[MAIN]?.isConnected && document[MAIN].checkVisibility() ? document[MAIN] : null);
  const focused = () => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at; };
  const scroller = () => document.querySelector('[data-testid="stMain"]') ?? document.scrollingElement;

  const unfill = () => document.exitFullscreen().catch(() => {}); // it had left already

  function fit() { // type grows with the window; a tall one has more lines of it
    page.style.setProperty(SCALE, Math.max(0.6, Math.min(innerHeight / HEIGHT, innerWidth / WIDTH)).toFixed(3));
    const book = document[MAIN], line = book?.querySelector(".line"), now = line?.querySelector(".now");
    book?.toggleAttribute(MODE, on());
    if (now) line.scrollLeft += (now.getBoundingClientRect().left - line.getBoundingClientRect().left - line.clientWidth / 2) / (line.currentCSSZoom ?? 1); // its entries have other widths now
  }
  function turn(want) {
    if (want === on()) return;
    const held = focused(), lost = () => held !== document.body && !held?.checkVisibility();
    page.toggleAttribute(MODE, want);
    try { if (want) sessionStorage.setItem(MEMORY, "on"); else sessionStorage.removeItem(MEMORY); } catch { /* then a reload leaves */ }
    fit();
    if (want) { // refused, it works the same in the window
      page.requestFullscreen?.().then(() => on() || unfill(), () => {});
      [was, given] = [held, lost() ? stage()?.querySelector('[data-do="next"]') ?? scroller() : null];
      given?.focus({ preventScroll: true });
    } else {
      if (document.fullscreenElement) unfill();
      if (lost() || held === given) [was, start].find((one) => one?.isConnected && one.checkVisibility())?.focus({ preventScroll: true });
    }
    status.textContent = "";
    if (want) setTimeout(() => { status.textContent = labels.started; }, 150); // a live region tells of what changes in it
  }
  function darken(want) {
    if (want === black.matches(":popover-open")) return;
    if (want) {
      lit = focused();
      black.showPopover();
      black.focus();
    } else {
      black.hidePopover();
      black.blur();
      if (lit !== document.body) lit?.focus({ preventScroll: true });
    }
  }
  function leaf(forward) { // the stage's next step, or the next part of a page that has none
    const book = stage();
    if (book) book.querySelector(`[data-do="${forward ? "next" : "back"}"]`).click();
    else scroller().scrollBy({ top: (forward ? 0.85 : -0.85) * innerHeight, behavior: still.matches ? "instant" : "smooth" });
  }

  const plain = (event) => !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey && !event.isComposing;
  addEventListener("keydown", (event) => {
    open = event.key === "Escape" && document.querySelector(OPEN) !== null; // before it is closed
    if (!black.matches(":popover-open") || event.ctrlKey || event.metaKey || /^(F\d+|Shift|Control|Alt|Meta|AltGraph|CapsLock)$/.test(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    darken(false);
  }, true);
  addEventListener("keydown", (event) => { // after everything else on the page
    if (event.defaultPrevented || !plain(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, path = event.composedPath().filter((node) => node instanceof Element);
    const free = (taken) => !path.some((node) => node.matches(taken)), book = stage();
    if (key === "p" && !event.repeat && free(LETTERS)) turn(!on());
    else if (!on()) return;
    else if (key === "Escape" && !open) turn(false);
    else if ((key === "b" || key === ".") && !event.repeat && free(LETTERS)) darken(true);
    else if ((key === "PageDown" || key === "PageUp") && (path.includes(book) || free(PAGES))) leaf(key === "PageDown");
    else return;
    event.preventDefault();
  });
  black.addEventListener("click", () => darken(false));
  exit.addEventListener("click", () => turn(false));
  addEventListener("resize", () => { if (on()) fit(); });
  document.addEventListener("tokensteps:stage", () => { if (on()) fit(); }); // another book may be the page's
  document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) turn(false); });

  let remembered = null;
  try { remembered = sessionStorage.getItem(MEMORY); } catch { /* a sandboxed frame */ }
  page.toggleAttribute(MODE, remembered !== null);
  if (on()) fit();
  return { toggle: () => turn(!on()), receive(next, button) {
    [labels, start] = [next, button];
    exit.ariaLabel = exit.title = `${labels.leave} (Esc)`;
    black.ariaLabel = labels.black;
  } };
}

export default function projector({ data, parentElement: root }) { // one for the whole page, and a button wherever it is asked for
  document[PROJECTOR] ??= bind();
  let button = root.querySelector(".ts-projector-start");
  if (!button) {
    button = Object.assign(document.createElement("button"), { type: "button", className: "ts-projector-start" });
    button.setAttribute("aria-keyshortcuts", "P");
    button.addEventListener("click", () => document[PROJECTOR].toggle());
    root.append(button);
  }
  button.innerHTML = `${icon("M2 3.5h12v7.5H2zM8 11v3M5.5 14h5")}<span></span>`;
  button.lastChild.textContent = data.name;
  button.ariaLabel = button.title = `${data.name} (P)`;
  document[PROJECTOR].receive(data, button);
}
