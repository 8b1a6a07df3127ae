// The chips: tokens of a text that light up together with their ids and their details, and with the text box on the page.
// Python draws chips and details; this script joins them, and makes the ids and the places out of numbers.
// Streamlit runs the default export again for each new payload, without cleanup: one viewer lives on the root.

const VIEW = Symbol.for("tokensteps.chips"), DRAG = 4; // pixels
const MARKUP = `<div class="pane" role="listbox" tabindex="-1"></div>
  <section class="card"><p class="place"><span></span><span></span></p><div></div></section><section class="ids"><h2></h2><p role="group" tabindex="0"></p></section>`;
const fill = (message, values) => message.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
const middle = ({ left, right }) => (left + right) / 2;

function bind(root) {
  const box = document.createElement("div");
  box.className = "ts-chips ts";
  box.innerHTML = MARKUP;
  root.append(box);
  const [pane, card, row, details, heading, token, place] = [".pane", ".card", ".ids > p", ".card > div", "h2", ".place > :first-child", ".place > :last-child"].map((part) => box.querySelector(part));
  let view = {}, runs = [], nodes = [], marks = [], drawn = [], numbers = []; // a run's chip, and its ids in the row
  let seen, pinned, stop, shown, range, news = false, down; // the first three are places among the runs

  const at = (node) => node?.closest?.(".r,.ids span")?.at, isChip = (index) => runs[index]?.ids.length > 0;
  const paint = (index, how, on) => { if (index !== undefined) for (const node of [nodes[index], ...marks[index]]) node.classList.toggle(how, on); };

  // The details: of what is under the mouse or the focus, else of what is pinned.
  function look(index) {
    if (index === seen) return;
    paint(seen, "lit", false);
    paint((seen = index), "lit", true);
    show();
  }
  function pin(index) {
    paint(pinned, "pin", false);
    nodes[pinned]?.removeAttribute("aria-selected");
    paint((pinned = index), "pin", true);
    nodes[pinned]?.setAttribute("aria-selected", "true");
    show();
  }
  function show() {
    const { labels, total, cards } = view, run = runs[seen ?? pinned], ids = run?.ids ?? [];
    const values = run && { index: run.index, last: run.index + ids.length - 1, total, start: run.start, end: run.end };
    for (const name in values) values[name] = values[name].toLocaleString(labels.language);
    token.textContent = run ? fill(ids.length > 1 ? labels.tokens : labels.token, values) : runs.length ? labels.hint : "";
    place.textContent = run?.start < run?.end ? fill(labels.characters, values) : "";
    const markup = [...new Set(ids)].map((id) => cards[id] ?? "").join("");
    if (markup === shown) return;
    details.innerHTML = shown = markup;
    card.scrollTop = 0;
  }
  function follow(node, part) { // scrolls the part alone, never the page
    const a = node.getBoundingClientRect(), b = part.getBoundingClientRect();
    if (a.top < b.top || a.bottom > b.bottom) part.scrollTop += (a.top - b.top - Math.max(8, (b.height - a.height) / 3)) / (part.currentCSSZoom ?? 1);
  }
  function stopAt(index) { // where Tab arrives
    nodes[stop]?.removeAttribute("tabindex");
    nodes[(stop = index)]?.setAttribute("tabindex", "0");
  }
  const focus = (index) => { stopAt(index); nodes[index].focus({ preventScroll: true }); };
  function choose(index) {
    pin(index === pinned ? undefined : index);
    const { start, end } = runs[index];
    if (view.linked && pinned === index) document.dispatchEvent(new CustomEvent("tokensteps:range", { detail: { start, end } }));
  }
  function mark(scroll) { // what is selected in the text box; a caret alone is followed
    const { start, end } = range ?? {}, caret = start === end && start;
    const inside = runs.map((run) => view.linked && run.start < end && run.end > start && caret === false);
    nodes.forEach((node, index) => node.classList.toggle("in", inside[index]));
    const first = caret === false ? inside.indexOf(true) : runs.findIndex((run) => run.start < caret && run.end >= caret);
    if (scroll && view.linked && nodes[first]) follow(nodes[first], pane);
  }

  function next(from, step) {
    for (let index = from + step; runs[index]; index += step) if (isChip(index)) return index;
  }
  function beside(from, step) { // in the line above or below, the chip nearest to this one
    const edge = (index, way) => [...nodes[index].getClientRects()].at(way > 0 ? -1 : 0), here = edge(from, step);
    let best, line, least = Infinity;
    for (let index = next(from, step); index !== undefined; index = next(index, step)) {
      const there = edge(index, -step), off = Math.abs(middle(there) - middle(here));
      if ((there.top - here.top) * step < here.height / 2) continue; // the same line still
      if (Math.abs(there.top - (line ??= there.top)) > here.height / 2) break;
      if (off < least) [best, least] = [index, off];
    }
    return best;
  }
  box.addEventListener("keydown", (event) => {
    const { key } = event, from = pane.contains(event.target) ? at(event.target) : undefined;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (key === "Escape" && pinned !== undefined) { event.stopPropagation(); pin(); }
    if (from === undefined) return;
    const along = nodes[from].closest(".l").dir === "rtl" ? -1 : 1;
    const act = { ArrowRight: () => next(from, along), ArrowLeft: () => next(from, -along), ArrowDown: () => beside(from, 1), ArrowUp: () => beside(from, -1),
      Home: () => next(-1, 1), End: () => next(runs.length, -1), Enter: () => choose(from), " ": () => choose(from) }[key];
    if (!act) return;
    event.preventDefault();
    const to = event.repeat && (key === "Enter" || key === " ") ? undefined : act();
    if (to === undefined) return;
    focus(to);
    follow(nodes[to], pane);
  });
  pane.addEventListener("focusin", ({ target }) => {
    const index = at(target);
    if (index === undefined || !target.matches(":focus-visible")) return;
    look(index);
    follow(marks[index][0], row);
  });
  pane.addEventListener("focusout", () => look());
  for (const [part, other] of [[pane, () => [marks[seen][0], row]], [row, () => [nodes[seen], pane]]]) {
    part.addEventListener("pointerover", ({ target }) => { // between two chips, the last one stays
      const index = at(target);
      if (index === seen || !isChip(index)) return;
      look(index);
      follow(...other());
    });
    part.addEventListener("pointerleave", () => look());
  }
  box.addEventListener("pointerdown", (event) => { down = event; });
  box.addEventListener("click", (event) => {
    const index = at(event.target);
    if (!isChip(index) || Math.hypot(event.clientX - down?.clientX, event.clientY - down?.clientY) > DRAG) return; // the end of a selection
    if (pane.contains(event.target)) focus(index);
    choose(index);
  });
  box.addEventListener("copy", (event) => { // the text itself, not the signs for it
    const inner = root.getSelection?.(), still = getSelection().getComposedRanges?.({ shadowRoots: [root] })[0] ?? (inner?.rangeCount ? inner.getRangeAt(0) : undefined);
    if (!pane.contains(still?.startContainer) || !box.contains(still.endContainer)) return;
    const live = document.createRange(), part = document.createRange();
    live.setStart(still.startContainer, still.startOffset);
    live.setEnd(still.endContainer, still.endOffset);
    const touched = (node) => { // more than its edge
      part.selectNodeContents(node);
      if (part.compareBoundaryPoints(Range.START_TO_START, live) < 0) part.setStart(live.startContainer, live.startOffset);
      if (part.compareBoundaryPoints(Range.END_TO_END, live) > 0) part.setEnd(live.endContainer, live.endOffset);
      return !node.textContent || part.toString();
    };
    event.clipboardData.setData("text/plain", runs.map(({ text }, index) => (live.intersectsNode(nodes[index]) && touched(nodes[index]) ? text : "")).join(""));
    event.preventDefault();
  });
  const gone = new AbortController();
  document.addEventListener("tokensteps:selection", ({ detail }) => { range = detail; news = true; mark(true); }, { signal: gone.signal });

  function redraw(lines) { // only lines that changed: a key in the text box changes one of many
    let head = 0, tail = 0;
    while (head < lines.length && lines[head] === drawn[head]) head++;
    while (tail < Math.min(lines.length, drawn.length) - head && lines.at(-1 - tail) === drawn.at(-1 - tail)) tail++;
    for (const line of [...pane.children].slice(head, drawn.length - tail)) line.remove();
    const fresh = document.createElement("template");
    fresh.innerHTML = lines.slice(head, lines.length - tail).join("");
    pane.insertBefore(fresh.content, pane.children[head] ?? null);
    drawn = lines;
    nodes = [...pane.querySelectorAll(".r")];
    nodes.forEach((node, at) => { node.at = at; });
  }
  function renumber() {
    const ids = runs.flatMap((run) => run.ids), all = row.childNodes; // between two ids stands a comma
    let head = 0;
    while (head < ids.length && ids[head] === numbers[head]) head++;
    while (all.length > Math.max(0, 2 * head - 1)) row.lastChild.remove();
    const fresh = document.createDocumentFragment();
    for (let at = head; at < ids.length; at++) {
      if (at) fresh.append(", ");
      fresh.append(Object.assign(document.createElement("span"), { textContent: ids[at] }));
    }
    row.append(fresh);
    numbers = ids;
    const spans = row.children;
    let count = 0;
    marks = runs.map((run, at) => run.ids.map(() => Object.assign(spans[count++], { at })));
  }
  function receive(message) {
    const { labels, kinds, order, places } = message, other = message.page !== view.page, kept = runs[pinned], before = pinned;
    const held = pane.contains(root.activeElement) && root.activeElement, tops = other ? [0, 0] : [pane.scrollTop, row.scrollTop], wish = other ? 0 : (stop ?? 0);
    look();
    pin();
    stopAt();
    [view, shown] = [message];
    let index = message.first + 1;
    runs = order.filter((kind) => kinds[kind].length > 1).map((kind, at) => {
      const [, text, ...ids] = kinds[kind], run = { text, ids, index, start: places[2 * at], end: places[2 * at + 1] };
      index += ids.length;
      return run;
    });
    const lines = [];
    for (const kind of order) kinds[kind][0].startsWith("<div") ? lines.push(kinds[kind][0]) : (lines[lines.length - 1] += kinds[kind][0]);
    redraw(lines);
    renumber();
    [pane.ariaLabel, card.ariaLabel, row.ariaLabel, heading.textContent, pane.dataset.empty] = [labels.pane, labels.card, labels.ids, labels.ids, labels.empty];
    [pane.scrollTop, row.scrollTop] = tops;
    pin(!other && kept && kept.text === runs[before]?.text && kept.start === runs[before].start && isChip(before) ? before : undefined);
    const stays = held?.isConnected ? at(held) : wish;
    stopAt(isChip(stays) ? stays : (next(Math.min(stays, runs.length), -1) ?? next(-1, 1)));
    if (held && nodes[stop]) focus(stop); // it was here; other parts of the page keep theirs
    mark(news);
    news = false;
  }
  const close = () => { gone.abort(); box.remove(); delete root[VIEW]; };
  return { bind, close, connect(data) {
    if (data !== this.data) receive(JSON.parse(new TextDecoder().decode(data)));
    this.data = data;
  } };
}

export default function chips({ data, parentElement: root }) {
  if (root[VIEW] && root[VIEW].bind !== bind) root[VIEW].close(); // another version of this script (hot reload)
  root[VIEW] ??= bind(root);
  root[VIEW].connect(data);
  // Streamlit also calls this for a run of the script that a newer one overtook: only a viewer that is gone gets closed.
  return () => setTimeout(() => root.isConnected || root[VIEW]?.close());
}
