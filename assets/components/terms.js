// What a technical word means: shown while a `[data-term]` is pointed at or focused, wherever on the page it is, in a shadow too.
// Click or Enter keeps it, with a link to the glossary; Escape puts it away. Definitions come with the data, as plain text.

const TERMS = Symbol.for("tokensteps.terms"), REST = 180, GAP = 7, EDGE = 8; // ms, px, px

function bind() {
  const tip = document.createElement("div");
  tip.className = "ts-tip";
  tip.id = "ts-tip";
  tip.popover = "manual";
  let data = { terms: {} }, target = null, kept = false, leaving, where, refused;

  const inside = (event) => event.composedPath().includes(tip);
  const term = (event) => event.composedPath().find((node) => node instanceof Element && node.dataset?.term in data.terms);
  const stay = () => { clearTimeout(leaving); leaving = undefined; };
  const spot = () => { const { top, left } = target.getBoundingClientRect(); return `${top},${left}`; };

  function put() { // under the word, or above it, within the window
    const word = target.getClientRects()[0] ?? target.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = tip;
    const below = word.bottom + GAP + height <= innerHeight - EDGE || word.top - GAP - height < EDGE;
    tip.style.left = `${Math.max(EDGE, Math.min(word.left, innerWidth - width - EDGE))}px`;
    tip.style.top = `${Math.max(EDGE, Math.min(below ? word.bottom + GAP : word.top - GAP - height, innerHeight - height - EDGE))}px`;
    where = spot();
  }
  function show(node, keep = false) {
    stay();
    if (node === target && keep === kept) return;
    hide();
    [target, kept] = [node, keep];
    const [name, definition] = data.terms[node.dataset.term], title = document.createElement("b"), text = document.createElement("p");
    [title.textContent, text.textContent] = [name, definition];
    tip.replaceChildren(title, text);
    tip.role = keep ? "dialog" : "tooltip";
    tip.ariaLabel = keep ? name : null;
    if (keep && data.href) {
      const link = document.createElement("a");
      Object.assign(link, { href: data.href + encodeURIComponent(node.dataset.term), target: "_blank", rel: "noopener", textContent: data.more });
      tip.append(link);
    }
    node.ariaDescription = definition;
    tip.style.colorScheme = getComputedStyle(node).colorScheme; // the page's, which need not be the system's
    if (!tip.isConnected) (document.querySelector("main") ?? document.body).append(tip); // within a landmark
    tip.showPopover();
    put();
    watch();
  }
  function hide(back = false) {
    stay();
    const was = target;
    [target, kept] = [null, false];
    if (tip.matches(":popover-open")) tip.hidePopover();
    if (back && was?.isConnected) was.focus({ preventScroll: true });
  }
  function watch() { // the word has gone, or lies elsewhere: the page was scrolled, or drawn again
    if (!target) return;
    if (!target.isConnected || spot() !== where) hide();
    else requestAnimationFrame(watch);
  }
  const focused = () => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at; };

  document.addEventListener("pointermove", (event) => { // going from one node of a shadow to another, `pointerover` stays inside
    if (event.pointerType === "touch") return; // a tap clicks
    const node = term(event);
    reach(event);
    if (node !== refused) refused = undefined;
    if (node && !kept && !refused) show(node);
    else if (inside(event)) stay(); // it may be pointed at itself
    else if (!node && target && !kept && target !== focused()) leaving ??= setTimeout(() => hide(), REST);
  });
  document.documentElement.addEventListener("pointerleave", () => { if (target && !kept && target !== focused()) hide(); });
  function enter(event) {
    const node = term(event);
    if (node && node !== refused && !(kept && node === target)) show(node);
    else if (target && !node && !inside(event)) hide();
    reach(event);
  }
  function leave(event) {
    if (term(event) === refused) refused = undefined;
    if (target && !kept && term(event) === target) hide();
    else if (kept && inside(event) && !event.relatedTarget) hide();
  }
  const reached = new WeakSet();
  function reach(event) { // focus that goes from one node of a shadow to another isn't heard of outside
    for (const root of event.composedPath()) {
      if (!(root instanceof ShadowRoot || root === document) || reached.has(root)) continue;
      reached.add(root);
      root.addEventListener("focusin", enter);
      root.addEventListener("focusout", leave);
    }
  }
  reach({ composedPath: () => [document] });
  document.addEventListener("click", (event) => {
    const node = term(event);
    if (node) show(node, true);
    else if (kept && !inside(event)) hide();
  });
  document.addEventListener("keydown", (event) => {
    const node = term(event), plain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (event.key === "Escape" && target) {
      refused = target; // until the mouse or the focus has been elsewhere
      hide(inside(event));
      event.preventDefault(); // and nothing else is closed
      event.stopPropagation();
    } else if (node && plain && (event.key === "Enter" || event.key === " ")) {
      show(node, true);
      event.preventDefault();
      tip.querySelector("a")?.focus();
    } else if (event.key === "Tab" && inside(event)) hide(true); // on from the word, not from the page's end
  }, true);
  return { bind, receive(next) { data = next; } };
}

export default function terms({ data }) { // one for all runs of this script
  document[TERMS] ??= bind();
  document[TERMS].receive(data);
}
