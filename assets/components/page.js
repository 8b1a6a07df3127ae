// Functions for the whole page, whatever it shows.

// Half of a UTF-16 pair can't be sent: Streamlit would drop the whole message, and nothing would happen on the page.
// Typed or pasted, it becomes U+FFFD before anybody sees it; Python then says so. Nor is a number sent that JavaScript
// can't hold exactly: it is cut to digits enough to be too large for any setting, so that Python refuses it.
const LONG_NUMBER = /^(-?\d{15})\d+$/;
function mend({ target }) {
  if (target?.ariaInvalid === "true") mark(target, false);
  if (typeof target?.value !== "string") return;
  const { type, value } = target, mended = type === "number" ? value.replace(LONG_NUMBER, "$1") : value.toWellFormed();
  if (mended === value) return;
  // React puts a setter of its own on the node, and wouldn't notice the change.
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value");
  set.call(target, mended);
}

// On a phone the menu lies over the page: once a page is chosen, it makes way.
const MENU = '[data-testid="stSidebarNav"]', FOLD = '[data-testid="stSidebarCollapseButton"] button';
const OVER = matchMedia("(max-width: 768px)");
const fold = () => document.querySelector(FOLD)?.click();

// On the way from another page, the address is bare until Python has written the page's remembered parameters, perhaps
// in several turns. The reader took no step there: Python's address replaces the bare one, or Back would lead to it.
//
// When Python leads (as with a plan's strip), it first writes the next page's parameters to the address of this one:
// that entry becomes the next page's, or Back would lead to this page with them.
//
// After a click on a link, Python's answer may come before Streamlit has changed the page: the next page's address
// would become an entry of this one, and comes with the change of page anyway. And the run overtaken by the click may
// still write this page's address, and Streamlit would give it to the next one.
//
// Back and Forward may be pressed before Python has answered: an overtaken run still makes for its own page, and
// Streamlit would add an entry for that, and one more for the way back from there. It may also still write its own
// step, and Streamlit would put that into the other page's address. The title says whose run the browser hears of.
const ALONG = ["lang", "walk", "class", "embed", "embed_options"]; // these go along from page to page
let arrived = false, completed = false;
let led = false, writtenHref; // whether Python leads, and the next page's address under the path of this one
let linkTarget; // the target of the last clicked link, until it is there
let historyTarget; // the target of Back or Forward, until the reader or Python leads on
let cameBack = false; // to an entry of this page, until then: Python may correct its address, but not add another
let few = {}; // pages without a run, by path: their parameters
let titles = {}; // the titles of the browser's tab, by a page's path
function act(event) {
  if (event.target.closest?.(FOLD)) return; // leads nowhere
  arrived = completed = led = cameBack = ledByKey = false;
  linkTarget = historyTarget = uploaded = message = undefined;
  lastByKey = event.type === "keydown" || (event.type === "click" && event.detail === 0);
  if (event.type !== "click" || hasModifier(event)) return;
  const link = linkOf(event);
  document[BY_KEY] = Boolean(link) && event.detail === 0;
  linkTarget = link && new URL(link.href);
  if (link?.closest(MENU) && OVER.matches) setTimeout(fold);
}
function ledOn() {
  [led, cameBack] = [true, false];
  historyTarget = writtenHref = undefined;
}
function isOvertaken({ pathname }) { // whether a run of another page than this one writes
  const runPath = Object.keys(titles).find((path) => titles[path] === document.title);
  const last = pathname.split("/").pop(), there = Object.hasOwn(titles, last) ? last : ""; // the first page is anywhere
  return historyTarget === pathname && runPath !== undefined && runPath !== there;
}
function tidy(event) {
  const [from, to] = leftFor(event);
  const push = event.navigationType === "push" && event.cancelable;
  if (from.pathname === to.pathname && event.navigationType !== "traverse" && event.cancelable && isOvertaken(to)) {
    event.preventDefault();
    return;
  }
  const leads = push && to.searchParams.get("walk") !== from.searchParams.get("walk");
  if (leads || (push && from.pathname !== to.pathname)) main()?.scrollTo(0, 0); // each begins at its top
  if (from.pathname === to.pathname && (leads || (push && led))) {
    queueMicrotask(() => { if (!event.defaultPrevented) writtenHref = to.href; });
  } else if (event.navigationType === "replace" && writtenHref === from.href) writtenHref = to.href;
  if (event.navigationType === "traverse") cameBack = from.pathname === to.pathname;
  if (from.pathname !== to.pathname) {
    if (push && historyTarget === from.pathname) {
      event.preventDefault();
      return;
    }
    if (event.navigationType === "traverse") historyTarget = to.pathname;
    if (push && !linkTarget && writtenHref === from.href && from.search === to.search) replaceEntry(event, to);
    [led, ledByKey] = [false, lastByKey];
    [arrived, completed] = [event.navigationType === "push", false];
    if (arrived) arrive(from, to);
    linkTarget = undefined;
    return;
  }
  for (const name of ALONG) from.searchParams.delete(name); // Python may write these first
  if (push && linkTarget && linkTarget.pathname !== from.pathname) event.preventDefault();
  if (push && cameBack) replaceEntry(event, to);
  if (!arrived || (from.search && !completed) || !push) return;
  completed = true;
  replaceEntry(event, to);
}

function arrive(from, to) {
  const original = to.href, own = linkTarget && few[to.pathname.split("/").pop()];
  for (const name of own ? [...to.searchParams.keys()] : []) {
    if (![...own, ...ALONG].includes(name) && !linkTarget.searchParams.has(name)) to.searchParams.delete(name);
  }
  if (from.searchParams.has("lang") && !to.searchParams.has("lang")) { // the language goes along
    to.searchParams.set("lang", from.searchParams.get("lang"));
  }
  if (to.href !== original) queueMicrotask(() => history.replaceState(history.state, "", to));
}

// Where nothing has the focus, the browser scrolls the document, and that never has more than the window: so the page
// takes such keys. It also takes the focus once a key has led to it, if what had it stayed behind.
const SCROLLS = ["PageDown", "PageUp", "ArrowDown", "ArrowUp", "Home", "End", " "];
const main = () => document.querySelector('[data-testid="stMain"]');
let lastByKey = false; // whether the last action was a key's,
let ledByKey = false; // and whether it has led to this page
function takeFocus() {
  if (document.activeElement === document.body) main()?.focus({ preventScroll: true });
}
function takeKey(event) {
  if (SCROLLS.includes(event.key) && !hasModifier(event)) takeFocus(); // before the browser looks for what to scroll
}

// A box for files is drawn anew for the next ones, and the pressed button of a chat's message may vanish, or be of no
// more use: by keyboard, the focus goes along.
const PLACES = 'details, [data-testid="stSidebar"], [data-testid="stMain"]';
const TAKES_FILES = '[data-testid="stFileUploaderDropzone"] button'; // the last of them: each file has one to remove it
let uploaded; // the part of the page with the box, after a file was chosen by keyboard
function upload({ target }) {
  uploaded = lastByKey && target.type === "file" ? target.closest(PLACES) : undefined;
}
const MESSAGES = '[class*="st-key-playground-chat-row-"]';
const messageOf = (node) => node.closest?.(MESSAGES)?.className.match(/chat-row-\d+/)[0];
const buttonsOf = (name) => [...document.querySelectorAll(`.st-key-playground-${name} .stButton button`)];
let message; // the class of the message whose button was pressed by keyboard, which one of its own, and its place
function press({ target, detail }) {
  const name = detail === 0 && target.closest?.(".stButton") && messageOf(target);
  const button = name && buttonsOf(name).indexOf(target.closest("button"));
  message = name && { name, button, place: [...document.querySelectorAll(MESSAGES)].map(messageOf).indexOf(name) };
}
function afterMessage({ name, button, place }) { // itself or its other one; without a message, “Remove” of the next
  const own = buttonsOf(name), next = document.querySelectorAll(MESSAGES)[place];
  return [own[button], ...own].find((one) => one?.matches(":enabled"))
    ?? next?.querySelector('[class*="-chat-out-"] button') ?? document.querySelector('[class*="-chat-add"] button');
}
new MutationObserver(() => {
  if (isDrawing() || !(document.activeElement === document.body || document.activeElement.disabled)) return;
  if (ledByKey) takeFocus();
  else if (message) afterMessage(message)?.focus();
  else [...uploaded?.querySelectorAll(TAKES_FILES) ?? []].at(-1)?.focus({ preventScroll: true });
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-test-script-state"] });

// Back and Forward find the page scrolled as it was left, once it is drawn down to there.
const RETURNING = 4000; // ms for a page to be as long as it was, after it has been drawn
const scrolledTo = new Map(); // an entry of the history, by its key → how far it was scrolled
let restore; // how far to scroll, and until when: the reader may have gone elsewhere
function noteScroll() { // as the reader acts: on the way to another page, Streamlit scrolls by itself
  restore = undefined;
  if (main()) scrolledTo.set(navigation.currentEntry.key, main().scrollTop);
}
function returned({ navigationType, destination }) {
  const top = navigationType === "traverse" && scrolledTo.get(destination.key);
  restore = top ? { top, until: performance.now() + RETURNING } : undefined;
  if (top) requestAnimationFrame(scrollBack);
}
function scrollBack() {
  if (!restore || performance.now() > restore.until) {
    restore = undefined;
    return;
  }
  if (isDrawing()) restore.until = performance.now() + RETURNING;
  main()?.scrollTo(0, restore.top); // as far as there is something; more may come
  requestAnimationFrame(scrollBack);
}

// “Your text” leads to the box for it, as soon as that is there: on the page while it is empty, else in the sidebar,
// opened for it. After any other action, the reader has gone elsewhere.
const OWN = '[class*="-to_own_text"] button', OWN_BOX = '[class*="-paste_text"] textarea';
const SEARCH = 60_000; // ms for the box
const UNFOLD = '[data-testid="stExpandSidebarButton"]';
let seeking = 0; // until when
let unfolding = false;
function seek({ type, target, isTrusted }) {
  if (!isTrusted) return;
  const clicked = type === "click" && target.closest?.(OWN);
  [seeking, unfolding] = [clicked ? performance.now() + SEARCH : 0, false];
  if (clicked) requestAnimationFrame(toOwnBox);
}
function toOwnBox() {
  const box = document.querySelector(OWN_BOX);
  if (performance.now() > seeking) return;
  if (!unfolding && box?.closest('[data-testid="stSidebar"][data-collapsed="true"]')) {
    document.querySelector(UNFOLD)?.click();
    unfolding = true;
  }
  box?.focus();
  if (box && document.activeElement === box) box.scrollIntoView({ block: "nearest" });
  else requestAnimationFrame(toOwnBox);
}

// An answered question gives way to the next one, perhaps with another kind of box: the focus goes along, also from its
// button: that is drawn anew. It doesn't when a clicker revealed the answer: the lecturer's next key would be typed
// into the box.
const FORM = '[data-testid="stForm"]';
let answered; // the form, if its next box may take the focus: after any other action, the reader has gone elsewhere
let keyed; // whether a key sent it off
function submit(event) {
  const { type, key, target, isTrusted, detail } = event;
  if (type === "click" && detail > 1 && target.closest?.('[data-testid="stFormSubmitButton"]')) { // it's one click
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  const pressed = key === "Enter" || key === " ";
  const byKey = pressed || detail === 0; // 0: a click by a key
  const next = byKey && target.closest?.(".st-key-exercises-next");
  const form = next ? document.querySelector(FORM) : (type === "click" || pressed) && target.closest?.(FORM);
  const revealed = document.documentElement.matches("[data-projector]") && target.closest?.('[class*="give_up"]');
  answered = form && isTrusted && !revealed ? form : undefined;
  keyed = answered && byKey;
  awaited = Boolean(form);
}
// The verdict on an answer comes into sight. Its wrong boxes (`data-cells`) are marked until they are changed, and the
// first of them gets the focus.
let judged; // the last verdict treated so
// Whether an answer was sent off last: a verdict there on arrival moves nothing. Before this script was there, any
// click may have been one.
let awaited = navigator.userActivation?.hasBeenActive;
function judge() {
  const verdict = document.querySelector(".note.verdict");
  if (verdict === judged) return;
  judged = verdict;
  const boxes = [...document.querySelectorAll('[data-testid="stForm"] :is(input, textarea)')];
  const wrong = (verdict?.dataset.cells?.split(" ") ?? []).map((number) => boxes[number]).filter(Boolean);
  for (const box of boxes) mark(box, wrong.includes(box));
  if (!verdict || !awaited) return;
  wrong[0]?.focus({ preventScroll: true });
  wrong[0]?.scrollIntoView({ block: "nearest" });
  verdict.scrollIntoView({ block: "nearest" });
}
const mark = (box, wrong) => box.setAttribute("aria-invalid", wrong);
new MutationObserver(judge).observe(document.body, { childList: true, subtree: true });
judge(); // it may be there before this script
// At a station of the path, the question may be gone: by keyboard, the focus goes to the way on.
new MutationObserver(() => {
  if (document.activeElement !== document.body) return;
  answered?.querySelector("input, textarea")?.focus({ preventScroll: true });
  answered = undefined;
  if (!keyed || main()?.querySelector(FORM) || document.activeElement !== document.body) return;
  document.querySelector("html[data-path] .ts-walk [data-go=next]")?.focus({ preventScroll: true });
  keyed = false;
}).observe(document.body, { childList: true, subtree: true });

// How close a step was: of the steps prepared by Python, the flipbook's. Python brings others once the flipbook rests.
function follow() {
  const step = document[MAIN]?.querySelector("input[type=range]")?.value;
  for (const box of document.querySelectorAll(".closeness")) {
    const known = [...box.children].some((one) => one.dataset.at === step);
    box.toggleAttribute("data-waits", step !== undefined && !known);
    if (known) for (const one of box.children) one.hidden = one.dataset.at !== step;
  }
}
new MutationObserver(follow).observe(document.body, { childList: true, subtree: true });

// Streamlit's parts without a name or a role, and stops of Tab without anything to operate.
function amend() {
  // The link past the sidebar still leads here.
  main()?.setAttribute("tabindex", "-1");
  // The picture of a table to edit gets the names of its columns; the layer over it only scrolls.
  for (const grid of document.querySelectorAll('[data-testid="stDataFrame"] canvas')) {
    const names = [...grid.querySelectorAll('[role="columnheader"]')].map((head) => head.textContent).filter(Boolean);
    if (!names.length) continue;
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", names.join(", "));
    grid.closest('[data-testid="stDataFrame"]').querySelector(".dvn-scroller")?.setAttribute("tabindex", "-1");
  }
  // The navigation puts a box between the list and its items, but a list may hold only items: so each box is a list.
  const nav = document.querySelector('[data-testid="stSidebarNavItems"]');
  nav?.setAttribute("role", "presentation");
  [...(nav?.children ?? [])].forEach((section, index) => {
    const head = section.querySelector("header");
    if (!head) return;
    head.id = `ts-section-${index}`;
    section.setAttribute("role", "list");
    section.setAttribute("aria-labelledby", head.id);
  });
}
new MutationObserver(amend).observe(document.body, { childList: true, subtree: true });

// Tables to edit are drawn on canvases, in Streamlit's theme: print.css turns dark ones light on paper.
function paper() {
  const { colorScheme } = getComputedStyle(document.querySelector(".stApp"));
  document.documentElement.toggleAttribute("data-dark", colorScheme === "dark");
}

export default function page({ data }) { // the same function is never added twice
  document.documentElement.lang = data.language;
  setTimeout(() => document[EARLY]?.[MOUNTED]?.target || dropEarly(), 2000); // by then, a stage has found its place
  ({ few, titles } = data);
  amend();
  document.addEventListener("input", mend, true);
  document.addEventListener("tokensteps:step", follow);
  onEntry(tidy);
  addEventListener("ts-led", ledOn);
  if (globalThis.navigation) { // only there have entries a key
    onEntry(returned);
    for (const event of ["pointerdown", "keydown", "wheel"]) document.addEventListener(event, noteScroll, true);
  }
  addEventListener("beforeprint", paper);
  for (const event of ["pointerdown", "keydown", "click"]) document.addEventListener(event, act, true);
  for (const event of ["click", "keydown"]) document.addEventListener(event, submit, true);
  for (const event of ["click", "keydown"]) document.addEventListener(event, seek, true);
  document.addEventListener("keydown", takeKey, true);
  document.addEventListener("change", upload, true);
  document.addEventListener("click", press, true);
}
