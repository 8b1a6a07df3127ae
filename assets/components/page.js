// What the whole page needs, whatever it shows.

// Half of a UTF-16 pair can't be sent: Streamlit would drop the whole message, and nothing would happen on the page.
// What is typed or pasted gets U+FFFD in its place, before anybody sees it; Python then says so.
function mend({ target }) {
  if (typeof target?.value !== "string" || target.value.isWellFormed()) return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value").set.call(target, target.value.toWellFormed());
}

// Coming from another page, the address is bare until Python has written what the page remembers. That is no step of the
// reader's: it takes the place of the bare address, or Back would lead there.
let arrived = false;
const act = () => { arrived = false; };
function tidy(event) {
  const from = new URL(location.href), to = new URL(event.destination.url);
  if (from.pathname !== to.pathname) {
    arrived = event.navigationType === "push";
    if (arrived && from.searchParams.has("lang") && !to.searchParams.has("lang")) { // the language goes along
      to.searchParams.set("lang", from.searchParams.get("lang"));
      queueMicrotask(() => history.replaceState(history.state, "", to));
    }
    return;
  }
  from.searchParams.delete("lang"); // Python may write that first
  if (!arrived || from.search || event.navigationType !== "push" || !event.cancelable) return;
  event.preventDefault();
  queueMicrotask(() => history.replaceState(history.state, "", to));
}

// A question that is answered gives way to the next one, which may have another kind of box: the focus goes with it.
let answered; // the form, and until when its next box may take the focus
function submit({ type, key, target }) {
  const form = (type === "click" || key === "Enter" || key === " ") && target.closest?.('[data-testid="stForm"]');
  answered = form ? { form, until: performance.now() + 4000 } : undefined; // whoever goes elsewhere meanwhile is let go
}
new MutationObserver(() => {
  if (!answered || document.activeElement !== document.body) return;
  if (performance.now() < answered.until) answered.form.querySelector("input, textarea")?.focus({ preventScroll: true });
  answered = undefined;
}).observe(document.body, { childList: true, subtree: true });

// What Streamlit leaves without name or role, or makes a stop for Tab without anything to operate there.
function amend() {
  document.querySelector('[data-testid="stMain"]')?.setAttribute("tabindex", "-1"); // the way past the sidebar still leads here
  // A table's picture gets the names of its columns; what lies over it only scrolls.
  for (const grid of document.querySelectorAll('[data-testid="stDataFrame"] canvas')) {
    const names = [...grid.querySelectorAll('[role="columnheader"]')].map((head) => head.textContent).filter(Boolean);
    if (!names.length) continue;
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", names.join(", "));
    grid.closest('[data-testid="stDataFrame"]').querySelector(".dvn-scroller")?.setAttribute("tabindex", "-1");
  }
  // The navigation lays a box between the list and its items, and a list may hold only items: each box is a list.
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

// Tables are drawn on canvases, in Streamlit's theme: print.css turns dark ones light on paper.
function paper() {
  document.documentElement.toggleAttribute("data-dark", getComputedStyle(document.querySelector(".stApp")).colorScheme === "dark");
}

export default function page({ data }) { // the same function is never added twice
  document.documentElement.lang = data.language;
  amend();
  document.addEventListener("input", mend, true);
  globalThis.navigation?.addEventListener("navigate", tidy);
  addEventListener("beforeprint", paper);
  for (const event of ["pointerdown", "keydown"]) document.addEventListener(event, act, true);
  for (const event of ["click", "keydown"]) document.addEventListener(event, submit, true);
}
