// The tour of a page: a button that starts it, a card that offers it once, and stops that ring what they tell of.
// Every word comes with the data. Streamlit runs the default export again with each rerun: what there is lives on the root.

const TOUR = Symbol.for("tokensteps.tour"), MARGIN = 12, WIDE = 330; // px
const svg = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
const PARTS = `<button type="button" class="start" data-do="start">${svg("M8 1.8 14 4.3v8L8 9.8 2 12.3v-8z")}<span></span></button>
  <section class="offer" popover="manual"><p></p><div><button type="button" class="main" data-do="start"></button><button type="button" data-do="decline"></button></div></section>
  <div class="ring" popover="manual" aria-hidden="true"></div>
  <section class="card" popover="manual" role="dialog" tabindex="-1"><header><h2></h2><span></span></header><p></p>
    <div><button type="button" data-do="back"></button><button type="button" class="main" data-do="next"></button><button type="button" data-do="close"></button></div></section>`;

function bind(root) {
  const box = document.createElement("div");
  box.className = "ts-tour";
  box.innerHTML = PARTS;
  root.append(box);
  const part = (selector) => box.querySelector(selector), [start, offer, ring, card] = [".start", ".offer", ".ring", ".card"].map(part);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let data = {}, stops = [], at = -1, drawn = "", offered = false;

  const text = (selector, words) => { part(selector).textContent = words; };
  const rects = (stop) => [...document.querySelectorAll(stop.host)].flatMap((host) =>
    (stop.inside ? [...(host.shadowRoot ?? host).querySelectorAll(stop.inside)] : [host])
  ).filter((node) => node.checkVisibility({ visibilityProperty: true })).map((node) => [node, node.getBoundingClientRect()])
    .filter(([, rect]) => rect.width && rect.height && rect.right > 1 && rect.left < innerWidth - 1); // a closed sidebar lies beside the window
  function place(stop) { // all that a stop is about, as one rectangle
    const all = rects(stop).map(([, rect]) => rect);
    if (!all.length) return null;
    const edge = (name, pick) => pick(...all.map((rect) => rect[name]));
    return { top: edge("top", Math.min), left: edge("left", Math.min), bottom: edge("bottom", Math.max), right: edge("right", Math.max) };
  }

  function seen() { // whether the tour was offered or taken before; from now on it was
    const name = `tokensteps.tour.${data.page}`;
    try {
      const was = localStorage.getItem(name) !== null;
      localStorage.setItem(name, "seen");
      return was;
    } catch { return true; } // nowhere to remember it: rather never than always
  }
  function show(to) {
    at = to;
    const stop = stops[at], last = at === stops.length - 1;
    text(".card h2", stop.title);
    text(".card p", stop.text);
    text(".card header span", data.labels.place.replace("{place}", at + 1).replace("{number}", stops.length));
    text(".card [data-do=next]", last ? data.labels.done : data.labels.next);
    part(".card [data-do=back]").disabled = at === 0;
    card.ariaLabel = `${data.labels.tour}: ${stop.title}`;
    rects(stop)[0]?.[0].scrollIntoView({ block: "nearest", behavior: still.matches ? "instant" : "smooth" });
    drawn = "";
    follow();
    card.focus({ preventScroll: true });
  }
  function open() {
    offer.hidePopover();
    seen();
    stops = data.stops.filter(place);
    if (!stops.length) return;
    const fresh = at < 0;
    ring.showPopover();
    card.showPopover();
    show(0);
    if (fresh) requestAnimationFrame(watch);
  }
  function close(back = true) {
    at = -1;
    for (const one of [ring, card]) one.hidePopover();
    if (back) start.focus({ preventScroll: true });
  }
  function watch() { // what is ringed moves: the page scrolls, is resized, is drawn again
    if (at < 0 || !box.isConnected) return;
    follow();
    requestAnimationFrame(watch);
  }
  function follow() {
    const found = place(stops[at]), now = JSON.stringify([found, innerWidth, innerHeight, card.offsetHeight]);
    if (now === drawn) return;
    drawn = now;
    ring.toggleAttribute("data-lost", !found); // being drawn again
    if (!found) return;
    const [top, left] = [Math.max(3, found.top - 5), Math.max(3, found.left - 5)];
    const [bottom, right] = [Math.min(innerHeight - 3, found.bottom + 5), Math.min(innerWidth - 3, found.right + 5)];
    Object.assign(ring.style, { top: `${top}px`, left: `${left}px`, width: `${Math.max(0, right - left)}px`, height: `${Math.max(0, bottom - top)}px` });
    const width = Math.min(WIDE, innerWidth - 2 * MARGIN), height = card.offsetHeight, within = (value, size, room) => Math.max(MARGIN, Math.min(value, room - size - MARGIN));
    const across = within(left, width, innerWidth), along = within(top, height, innerHeight);
    const [x, y] = right + width + 2 * MARGIN < innerWidth ? [right + MARGIN, along] // where there is room, in this order
      : bottom + height + 2 * MARGIN < innerHeight ? [across, bottom + MARGIN]
        : top - height - 2 * MARGIN > 0 ? [across, top - height - MARGIN]
          : left - width - 2 * MARGIN > 0 ? [left - width - MARGIN, along]
            : [innerWidth - width - MARGIN, innerHeight - height - MARGIN];
    Object.assign(card.style, { left: `${x}px`, top: `${within(y, height, innerHeight)}px`, width: `${width}px` });
  }

  const act = {
    start: open, close: () => close(), decline: () => { offer.hidePopover(); start.focus({ preventScroll: true }); },
    back: () => { if (at > 0) show(at - 1); }, next: () => { if (at < stops.length - 1) show(at + 1); else close(); },
  };
  box.addEventListener("click", (event) => act[event.target.closest("[data-do]")?.dataset.do]?.());
  card.addEventListener("keydown", (event) => { // these keys are the tour's here, and not the flipbook's
    const what = { ArrowLeft: "back", ArrowRight: "next" }[event.key];
    if (!what || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (what === "back" || at < stops.length - 1) act[what](); // the last stop is left with a word, not with one arrow too many
  });
  const gone = new AbortController();
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || at < 0) return;
    event.preventDefault();
    close();
  }, { signal: gone.signal });

  function receive(next) {
    if (JSON.stringify(next) === JSON.stringify(data)) return;
    data = next;
    const { labels } = data;
    text(".start span", labels.start);
    start.ariaLabel = start.title = labels.start;
    text(".offer p", labels.offer);
    text(".offer .main", labels.start);
    text(".offer [data-do=decline]", labels.decline);
    text(".card [data-do=back]", labels.back);
    text(".card [data-do=close]", labels.close);
    offer.ariaLabel = labels.tour;
    if (at >= 0) close(false); // in another language now
    if (!offered && !seen()) offer.showPopover();
    offered = true;
  }
  return { bind, receive, close: () => { at = -1; gone.abort(); box.remove(); delete root[TOUR]; } };
}

export default function tour({ data, parentElement: root }) {
  if (root[TOUR] && root[TOUR].bind !== bind) root[TOUR].close(); // another version of this script
  root[TOUR] ??= bind(root);
  root[TOUR].receive(data);
  return () => setTimeout(() => root.isConnected || root[TOUR]?.close());
}
