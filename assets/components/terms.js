// The meaning of a technical word: shown while a `[data-term]` is pointed at or focused, anywhere on the page, in a
// shadow too. Click or Enter keeps it open, with a link to the glossary; Escape puts it away. Definitions come with the
// data, as plain text.

const TERMS = Symbol.for("tokensteps.terms"); // on the document: the one for the whole page
const REST = 180, GAP = 7, EDGE = 8; // ms, px, px

// By how much a node is zoomed. WebKit doesn't tell, and measures in the node's own pixels instead of the window's.
function zoomOf(node) {
  if ("currentCSSZoom" in node) return node.currentCSSZoom;
  let zoom = 1;
  for (let element = node; element; element = element.parentElement ?? element.getRootNode().host) {
    zoom *= Number(getComputedStyle(element).zoom) || 1;
  }
  return zoom;
}
function inWindow(node, rect) {
  const zoom = "currentCSSZoom" in node ? 1 : zoomOf(node);
  const { left, top, width, height } = rect;
  return new DOMRect(left * zoom, top * zoom, width * zoom, height * zoom);
}

class Terms {
  data = { terms: {} };
  target = null; // the word with its meaning shown
  pinned = false; // whether it stays without mouse and focus
  refused; // the word Escape was pressed for, until the mouse or the focus has been elsewhere
  leaving; // a timer
  where; // where the word lay when its meaning was put beside it
  reached = new WeakSet(); // documents and shadows with a listener to their focus

  constructor() {
    this.tip = Object.assign(document.createElement("div"), { className: "ts-tip", id: "ts-tip", popover: "manual" });
    const leave = () => { if (this.isIdle()) this.hide(); };
    document.addEventListener("pointermove", (event) => this.onMove(event));
    document.documentElement.addEventListener("pointerleave", leave);
    this.reach({ composedPath: () => [document] });
    document.addEventListener("click", (event) => this.onClick(event));
    document.addEventListener("keydown", (event) => this.onKey(event), true);
  }
  isInside(event) {
    return event.composedPath().includes(this.tip);
  }
  termOf(event) {
    const { terms } = this.data;
    return event.composedPath().find((node) => node instanceof Element && node.dataset?.term in terms);
  }
  isIdle() { // shown, and held by nothing but the mouse
    return this.target && !this.pinned && this.target !== focused();
  }

  // --- showing
  show(node, keep = false) {
    this.stay();
    if (node === this.target && keep === this.pinned) return;
    this.hide();
    [this.target, this.pinned] = [node, keep];
    this.fill(node, keep);
    const { tip } = this;
    tip.style.colorScheme = getComputedStyle(node).colorScheme; // the page's: it need not be the system's
    if (!tip.isConnected) (document.querySelector("main") ?? document.body).append(tip); // within a landmark
    tip.showPopover();
    this.put();
    this.watch();
  }
  fill(node, keep) {
    const { tip, data } = this, [name, definition] = data.terms[node.dataset.term];
    const title = Object.assign(document.createElement("b"), { textContent: name });
    tip.replaceChildren(title, Object.assign(document.createElement("p"), { textContent: definition }));
    tip.role = keep ? "dialog" : "tooltip";
    tip.ariaLabel = keep ? name : null;
    node.ariaDescription = definition;
    if (!keep || !data.href) return;
    const href = data.href + encodeURIComponent(node.dataset.term);
    const link = { href, target: "_blank", rel: "noopener", textContent: data.more };
    tip.append(Object.assign(document.createElement("a"), link));
  }
  put() { // below the word, or above it, within the window
    const { target, tip } = this, zoom = zoomOf(tip); // its place is told in its own pixels
    const { width, height } = inWindow(tip, tip.getBoundingClientRect());
    const word = inWindow(target, target.getClientRects()[0] ?? target.getBoundingClientRect());
    const under = word.bottom + GAP, over = word.top - GAP - height;
    const below = under + height <= innerHeight - EDGE || over < EDGE;
    const top = Math.min(below ? under : over, innerHeight - height - EDGE);
    tip.style.left = `${Math.max(EDGE, Math.min(word.left, innerWidth - width - EDGE)) / zoom}px`;
    tip.style.top = `${Math.max(EDGE, top) / zoom}px`;
    this.where = this.spot();
  }
  spot() {
    const { top, left } = this.target.getBoundingClientRect();
    return `${top},${left}`;
  }
  watch() { // the word has gone, or lies elsewhere: the page was scrolled, or drawn again
    if (!this.target) return;
    if (!this.target.isConnected || this.spot() !== this.where) this.hide();
    else requestAnimationFrame(() => this.watch());
  }
  hide(back = false) { // `back`: the focus returns to the word
    this.stay();
    const previous = this.target;
    [this.target, this.pinned] = [null, false];
    if (this.tip.matches(":popover-open")) this.tip.hidePopover();
    if (back && previous?.isConnected) previous.focus({ preventScroll: true });
  }
  stay() {
    clearTimeout(this.leaving);
    this.leaving = undefined;
  }

  // --- the mouse
  onMove(event) { // `pointerover` doesn't leave a shadow when the mouse goes from one of its nodes to another
    if (event.pointerType === "touch") return; // a tap clicks
    const node = this.termOf(event);
    this.reach(event);
    if (node !== this.refused) this.refused = undefined;
    if (node && !this.pinned && !this.refused) this.show(node);
    else if (this.isInside(event)) this.stay(); // the box itself may be pointed at
    else if (!node && this.isIdle()) this.leaving ??= setTimeout(() => this.hide(), REST);
  }
  onClick(event) {
    const node = this.termOf(event);
    if (node) this.show(node, true);
    else if (this.pinned && !this.isInside(event)) this.hide();
  }

  // --- focus and keys
  reach(event) { // outside a shadow, no event tells that the focus goes from one of its nodes to another
    for (const root of event.composedPath()) {
      if (!(root instanceof ShadowRoot || root === document) || this.reached.has(root)) continue;
      this.reached.add(root);
      root.addEventListener("focusin", (event) => this.enter(event));
      root.addEventListener("focusout", (event) => this.leave(event));
    }
  }
  enter(event) {
    const node = this.termOf(event);
    if (node && node !== this.refused && !(this.pinned && node === this.target)) this.show(node);
    else if (this.target && !node && !this.isInside(event)) this.hide();
    this.reach(event);
  }
  leave(event) {
    const node = this.termOf(event);
    if (node === this.refused) this.refused = undefined;
    if (this.target && !this.pinned && node === this.target) this.hide();
    else if (this.pinned && this.isInside(event) && !event.relatedTarget) this.hide();
  }
  onKey(event) {
    const node = this.termOf(event), plain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (event.key === "Escape" && this.target) {
      this.refused = this.target;
      this.hide(this.isInside(event));
      event.preventDefault(); // and nothing else is closed
      event.stopPropagation();
    } else if (node && plain && (event.key === "Enter" || event.key === " ")) {
      this.show(node, true);
      event.preventDefault();
      this.tip.querySelector("a")?.focus();
    } else if (event.key === "Tab" && this.isInside(event)) {
      this.hide(true); // on from the word, not from the page's end
    }
  }
}

export default function terms({ data }) { // Streamlit runs this again with each rerun
  document[TERMS] ??= new Terms();
  document[TERMS].data = data;
}
