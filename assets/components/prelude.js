// The components' common parts: mounting, keys, the address and the focus. This text comes before their own scripts, in
// one module with them: in the app with all components, in a handout with its own.

const MOUNTED = Symbol.for("tokensteps.component"); // on a root: the component mounted there
const STYLES = Symbol.for("tokensteps.styles"); // on a root: its style sheets, each with its text
const MAIN = Symbol.for("tokensteps.stage"); // on the document: the box of the page's own flipbook
const LEFT = Symbol.for("tokensteps.left"); // on the document: run and step of the page's last flipbook to close
const EARLY = Symbol.for("tokensteps.early"); // on the document: the root of the stage in the page's HTML
const PROJECTOR = Symbol.for("tokensteps.projector"); // on the document: the one for the whole page
const HASTE = Symbol.for("tokensteps.haste"); // on the document: whether P was pressed before the projector was there
const BY_KEY = Symbol.for("tokensteps.by-key"); // on the document: whether the last click was a key's, on a link
const DRAWN = Symbol.for("tokensteps.drawn"); // on the document: the version of the text behind the chips on the page
const ENTRIES = Symbol.for("tokensteps.entries"); // on the document: tells of the history in browsers that don't

// Streamlit runs a component's default export again for each new payload, without cleanup. So the object of the first
// run lives on its root, and gets the new data there. Returns the cleanup.
function mount(Kind, root, ...args) {
  if (root[MOUNTED]?.constructor !== Kind) { // nothing yet, or another version of this script (hot reload)
    root[MOUNTED]?.close();
    root[MOUNTED] = new Kind(root);
  }
  root[MOUNTED].connect(...args);
  // Streamlit also calls this for a run of the script overtaken by a newer one: close only components off the page.
  return () => setTimeout(() => root.isConnected || root[MOUNTED]?.close());
}

function dropEarly() { // Streamlit's page is whole, with a stage of its own or without one
  const root = document[EARLY];
  delete document[EARLY];
  root?.[MOUNTED]?.close();
  root?.host.parentElement.remove();
  if (root) document.documentElement.style.colorScheme = "";
}

// Messages yet to be sent to Python, as keys and steps are sent after a pause: timers, and components that wait for an
// answer. While there are any, the page says so: <html data-unsent>.
const SPEAKS = new Set(["tell", "ask", "select", "composed", "judge"]); // timers with a message at their end
const unsent = new Set();
function setUnsent(what, is) {
  unsent[is ? "add" : "delete"](what);
  document.documentElement.toggleAttribute("data-unsent", unsent.size > 0);
}

// A box within a root, filled from a JSON message of Python's. Subclasses handle a new message in `receive(message)`;
// listeners beyond the box take `this.gone.signal`: it ends them when the component closes.
class Component {
  data;
  send = () => {}; // reports a value to Python: send(name, value)
  gone = new AbortController();
  timers = {};

  constructor(root, className, markup) {
    this.root = root;
    this.box = Object.assign(document.createElement("div"), { className, innerHTML: markup });
    root.append(this.box);
  }
  part(selector) {
    return this.box.querySelector(selector);
  }
  connect(data, setStateValue) {
    this.send = setStateValue ?? this.send;
    if (data !== this.data) this.receive(JSON.parse(new TextDecoder().decode(data)));
    this.data = data;
  }
  later(name, milliseconds, run) { // a timer with this name starts again
    this.cancel(name);
    const timer = setTimeout(() => {
      run();
      setTimeout(() => setUnsent(timer, false)); // Streamlit gathers components' messages for as long
    }, milliseconds);
    this.timers[name] = timer;
    if (SPEAKS.has(name)) setUnsent(timer, true);
  }
  cancel(name) {
    clearTimeout(this.timers[name]);
    setUnsent(this.timers[name], false);
  }
  close() {
    Object.keys(this.timers).forEach((name) => this.cancel(name));
    this.gone.abort();
    this.box.remove();
    delete this.root[MOUNTED];
  }
}

// The way from one list to another, as splices [from, to, items], the last one first. A key in the text box changes one
// place. But a page ends after so many tokens, so new items push others out at the end: up to SLACK of the last items
// of both lists are looked past for the longest unchanged part.
const SLACK = 8;
function splices(old, fresh) {
  const most = Math.min(old.length, fresh.length);
  let head = 0, stays = 0, cut = 0, more = 0; // `cut` of the old ones go at the end, `more` of the fresh ones come
  while (head < most && old[head] === fresh[head]) head++;
  for (let index = 0; index < (SLACK + 1) ** 2 && stays < most - head - Math.min(cut, more); index++) {
    const [fewer, extra] = [index % (SLACK + 1), Math.floor(index / (SLACK + 1))];
    const room = Math.min(old.length - fewer, fresh.length - extra) - head;
    let tail = 0;
    while (tail < room && old.at(-1 - fewer - tail) === fresh.at(-1 - extra - tail)) tail++;
    if (tail > stays) [stays, cut, more] = [tail, fewer, extra];
  }
  const [oldEnd, freshEnd] = [old.length - cut, fresh.length - more];
  return [[oldEnd, old.length, fresh.slice(freshEnd)], [head, oldEnd - stays, fresh.slice(head, freshEnd - stays)]]
    .filter(([from, to, items]) => from < to || items.length);
}

// Blocks of markup in a box: only the changed ones are drawn.
function putLines(box, drawn, lines) {
  for (const [from, to, items] of splices(drawn, lines)) {
    for (const line of [...box.children].slice(from, to)) line.remove();
    const fresh = document.createElement("template");
    fresh.innerHTML = items.join("");
    box.insertBefore(fresh.content, box.children[from] ?? null);
  }
}

// A node with properties, `data` attributes and contents; texts stay texts.
const make = (tag, properties = {}, ...inside) => {
  const { data = {}, ...rest } = properties, node = Object.assign(document.createElement(tag), rest);
  Object.assign(node.dataset, data);
  node.append(...inside);
  return node;
};

// A message with values for its {fields}: any text, unlike in `replace(text, …)`, where $& and $$ have a meaning.
const filled = (message, fields) => message.replace(/\{(\w+)\}/g, (whole, name) => fields[name] ?? whole);

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

function hand(blob, download) { // a file to save, under this name
  const href = URL.createObjectURL(blob);
  make("a", { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

const icon = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
const roles = (names) => names.split(" ").map((role) => `[role="${role}"]`).join(); // a selector
// The browser's storage, for every tab. What it has no room for is held as long as the page.
const held = new Map();
const storage = {
  get(name) { // undefined if there is nothing, or nothing to read
    try { return JSON.parse(held.get(name) ?? localStorage.getItem(name)) ?? undefined; } catch { return undefined; }
  },
  set(name, value) {
    const text = JSON.stringify(value);
    held.delete(name);
    try { localStorage.setItem(name, text); } catch { held.set(name, text); }
  },
};

function putOnClipboard(text) { // an event of our own, since the browser's other way is for https alone
  const give = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener("copy", give, true);
  const done = document.execCommand("copy");
  document.removeEventListener("copy", give, true);
  return done;
}
// Whether the page is being drawn, however long that takes: patience begins when it rests.
function isDrawing() {
  const { testConnectionState, testScriptState } = document.querySelector(".stApp")?.dataset ?? {};
  return testConnectionState === "CONNECTED" && testScriptState !== "notRunning";
}
const SILENCE = 3500; // ms without an answer until the server counts as silent
const isServerSilent = () => fetch(new URL("_stcore/health", new URL(".", location.href)), {
  signal: AbortSignal.timeout(SILENCE), cache: "no-store",
}).then(() => false, () => true);
// Tells whether the network is lost, or back. A browser without one may have the server on its own device; an answer
// may also have been on its way before, so it looks again.
const LOOKS_AGAIN = 5000; // ms
function watchNetwork(tell, signal) {
  let timer;
  const look = async () => {
    clearTimeout(timer);
    tell(!navigator.onLine && await isServerSilent() && !navigator.onLine);
    if (!navigator.onLine && !signal?.aborted) timer = setTimeout(look, LOOKS_AGAIN);
  };
  for (const event of ["online", "offline"]) addEventListener(event, look, { signal });
  if (!navigator.onLine) look();
}

// Whether a key belongs to an input method. In Safari, the Enter that takes its proposal comes after its end.
const isComposing = ({ isComposing: composes, keyCode }) => composes || keyCode === 229;
const hasModifier = (event) => event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
const shortened = (text, most) => text.slice(0, most).replace(/[\ud800-\udbff]$/, ""); // no half of a character

// A key's name, a letter in lower case; without Latin letters, the letter at its place. Autofill sends none.
function keyOf({ key = "Unidentified", code }) {
  if (key === ":" && code === "Period") return "."; // a clicker's, where a French keyboard is set
  const [, latin] = /^Key([A-Z])$/.exec(code) ?? [], isForeign = /^[^\p{Script=Latin}\p{Script=Common}]$/u.test(key);
  return key.length > 1 ? key : (isForeign && latin ? latin : key).toLowerCase();
}
function linkOf(event, path = event.composedPath()) { // the link that a click follows here, not in a new tab
  if (event.type !== "click" || hasModifier(event)) return undefined;
  return path.find((node) => node.tagName === "A" && node.href && !node.download && !node.target);
}

// Parts that take letters themselves, and parts that take Page Up and Page Down: no box of one line, no list of tokens.
const LISTS = '[role="listbox"]:not(.ts-chips > *, .ts-pipeline > *),';
const TAKES_LETTERS = 'input:not([type="checkbox"],[type="radio"],[type="range"],[type="button"],[type="submit"]),'
  + `textarea,select,[contenteditable]:not([contenteditable="false"]),${LISTS}`
  + roles("textbox searchbox combobox grid dialog");
const TAKES_PAGES = 'textarea,select,[contenteditable]:not([contenteditable="false"]),'
  + `[role="combobox"][aria-expanded="true"],${LISTS}${roles("grid dialog")}`;
const isTaken = (event, taken) =>
  event.composedPath().some((node) => node instanceof Element && node.matches(taken));

// A clicker's key with one action for a press and another for holding it. Only the holding or the release tells which:
// a press goes on to its addressee at that time. The key's own events give the time between: on a busy page, a timer
// ends before the release is heard.
const HOLD = 700; // ms: longer is held
function onHeld(takes, act, signal) {
  let pressed;
  const release = (held) => {
    const { key, code, target } = pressed;
    pressed = undefined;
    const init = { key, code, bubbles: true, cancelable: true, composed: true };
    if (held) act(key);
    else target.dispatchEvent(new KeyboardEvent("keydown", init));
  };
  document.addEventListener("keydown", (event) => {
    if (!event.isTrusted || isComposing(event) || !takes(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { key, code, timeStamp: at } = event;
    if (!event.repeat) pressed = { key, code, at, target: event.composedPath()[0], receivedAt: performance.now() };
    else if (pressed && at - pressed.at >= HOLD) release(true);
  }, { signal, capture: true });
  addEventListener("keyup", ({ timeStamp }) => { // without repetitions, a key during the page's work is a press
    if (pressed) release(timeStamp - pressed.receivedAt >= HOLD);
  }, { signal });
  addEventListener("blur", () => { pressed = undefined; }, { signal });
}

const TABS = '[data-testid="stMain"] [class*="st-key-tabs-"]';
function tabsOfPage() { // of its first bar, without those of bars within a tab
  const list = document.querySelector(TABS);
  return [...(list?.querySelectorAll('[role="tab"]') ?? [])].filter((tab) => tab.closest(TABS) === list);
}

function focused() { // the focused element, in a shadow too
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node;
}

// Tells of each coming entry of the browser's history, as the Navigation API does. Without one, in WebKit and older
// Firefox, the functions for making entries tell of them; `from` is the address of the old entry. A download makes
// none.
function onEntry(listener, signal) {
  const source = globalThis.navigation ?? (document[ENTRIES] ??= entries());
  source.addEventListener("navigate", (event) => { if (event.downloadRequest == null) listener(event); }, { signal });
}
function entries() {
  const source = new EventTarget();
  let from = location.href;
  const dispatch = (navigationType, url, cancelable) => {
    const event = new Event("navigate", { cancelable });
    return source.dispatchEvent(Object.assign(event, { navigationType, from, destination: { url } }));
  };
  for (const type of ["push", "replace"]) {
    const make = history[`${type}State`].bind(history);
    history[`${type}State`] = (state, title, url) => {
      if (dispatch(type, new URL(url ?? location.href, document.baseURI).href, true)) make(state, title, url);
      from = location.href;
    };
  }
  addEventListener("popstate", () => {
    dispatch("traverse", location.href, false);
    from = location.href;
  });
  return source;
}
const leftFor = ({ from, destination }) => [new URL(from ?? location.href), new URL(destination.url)];

// Each of Python's writes to the address would add an entry to the browser's history. If `event` navigates to an
// address with other values of the parameters `names` alone, it replaces the present entry.
function replaceIfOnly(names, event) {
  const rest = (href) => {
    const url = new URL(href);
    for (const name of names) url.searchParams.delete(name);
    url.searchParams.sort();
    return url.href;
  };
  if (!names.length || event.navigationType !== "push" || !event.cancelable) return;
  if (rest(event.destination.url) === rest(location.href)) replaceEntry(event, event.destination.url);
}
function replaceEntry(event, url) {
  event.preventDefault();
  queueMicrotask(() => history.replaceState(history.state, "", url));
}
