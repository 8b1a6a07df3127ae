// A text on its way to ids: every stage under the other. What stands over or under what is under the mouse or the focus
// lights up, and one line says what it is. Python draws; this script breaks the drawing into lines, and joins the stages.
// Streamlit runs the default export again for each new payload, without cleanup: one viewer lives on the root.

const VIEW = Symbol.for("tokensteps.pipeline");

function bind(root) {
  const box = document.createElement("div");
  box.className = "ts-pipeline ts";
  box.innerHTML = `<div class="flow" role="listbox" tabindex="-1"></div><p class="tell" role="status"></p>`;
  root.append(box);
  const [flow, tell] = box.children;
  let view = {}, atoms = [], items = [], rows = [], lit = [], stop, pinned, width;

  // --- what belongs together
  const data = (node) => (node.place ??= {
    row: Number(node.dataset.r), token: node.dataset.i, of: node.dataset.q, start: Number(node.dataset.s), end: Number(node.dataset.e) });
  function related(one, other) {
    const [a, b] = [data(one), data(other)];
    if (a.token && b.token) return a.token === b.token;
    return a.of === b.of && a.start < b.end && b.start < a.end;
  }
  function light(node) {
    for (const other of lit) other.classList.remove("lit", "me");
    lit = node ? items.filter((other) => related(node, other)) : [];
    for (const other of lit) other.classList.add("lit");
    node?.classList.add("me");
    tell.textContent = node ? view.tells[node.dataset.t] : view.labels.hint;
  }
  const item = (node) => node?.closest?.(".i");
  function pin(node) {
    pinned?.removeAttribute("aria-selected");
    (pinned = node)?.setAttribute("aria-selected", "true");
    light(node);
  }
  function stopAt(node) { // where Tab arrives
    stop?.removeAttribute("tabindex");
    (stop = node)?.setAttribute("tabindex", "0");
    if (node) node.ariaLabel = view.tells[node.dataset.t];
  }
  function focus(node) {
    if (!node) return;
    stopAt(node);
    node.focus();
  }

  // --- keys: along a stage, and from stage to stage
  const along = (node, step) => rows[data(node).row][rows[data(node).row].indexOf(node) + step];
  function across(node, step) {
    for (let row = data(node).row + step; rows[row]; row += step) {
      const found = rows[row].find((other) => related(node, other));
      if (found) return found;
    }
  }
  flow.addEventListener("keydown", (event) => {
    const from = item(event.target), { key } = event;
    if (!from || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const row = rows[data(from).row], right = from.closest(".line").dir === "rtl" ? -1 : 1;
    const act = { ArrowRight: () => focus(along(from, right)), ArrowLeft: () => focus(along(from, -right)), ArrowDown: () => focus(across(from, 1)), ArrowUp: () => focus(across(from, -1)),
      Home: () => focus(row[0]), End: () => focus(row.at(-1)), Enter: () => pin(pinned === from ? undefined : from), " ": () => pin(pinned === from ? undefined : from),
      Escape: pinned && (() => { pin(); light(from); }) }[key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  flow.addEventListener("focusin", ({ target }) => item(target) && light(item(target)));
  flow.addEventListener("focusout", () => light(pinned));
  flow.addEventListener("pointerover", ({ target }) => item(target) && light(item(target)));
  flow.addEventListener("pointerleave", () => light(item(root.activeElement) ?? pinned));
  flow.addEventListener("click", ({ target }) => {
    const node = item(target);
    if (!node) return;
    focus(node);
    pin(pinned === node ? undefined : node);
  });

  // --- lines, as wide as there is room
  function edges(node) {
    const { paddingLeft, paddingRight } = getComputedStyle(node);
    return parseFloat(paddingLeft) + parseFloat(paddingRight);
  }
  function wrap() {
    if (!atoms.length || !flow.clientWidth || flow.clientWidth === width) return;
    width = flow.clientWidth;
    const held = root.activeElement, line = document.createElement("div");
    line.className = "line measure";
    line.append(labels(atoms[0].dataset.n), ...atoms);
    flow.replaceChildren(line);
    const style = getComputedStyle(line), gap = parseFloat(style.columnGap) || 0, room = width - edges(flow) - line.firstChild.offsetWidth - gap - 2;
    const zoom = flow.currentCSSZoom ?? 1, sizes = atoms.map((atom) => atom.getBoundingClientRect().width / zoom), lines = []; // see projector.css
    let left = -1;
    atoms.forEach((atom, index) => {
      left -= sizes[index] + gap;
      if (left < 0 || "b" in atom.dataset) {
        lines.push(Object.assign(document.createElement("div"), { className: "line", dir: view.ways[atom.dataset.n] }));
        lines.at(-1).append(labels(atom.dataset.n));
        left = room - sizes[index];
      }
      lines.at(-1).append(atom);
    });
    flow.replaceChildren(...lines);
    if (held && flow.contains(held)) held.focus({ preventScroll: true });
  }
  function labels(name) {
    const made = document.createElement("div");
    made.className = "labels";
    made.ariaHidden = "true";
    made.innerHTML = view.names;
    made.firstChild.textContent = view.texts[name];
    return made;
  }
  const watch = new ResizeObserver(() => wrap());
  watch.observe(flow);

  function receive(message) {
    const before = stop && flow.contains(root.activeElement) ? [data(stop).row, rows[data(stop).row].indexOf(stop)] : undefined;
    view = message;
    const made = document.createElement("template");
    made.innerHTML = view.atoms;
    atoms = [...made.content.children];
    items = [...made.content.querySelectorAll(".i")];
    rows = [];
    for (const node of items) (rows[data(node).row] ??= []).push(node);
    [pinned, width] = [undefined, undefined];
    flow.ariaLabel = view.labels.flow;
    flow.replaceChildren();
    wrap();
    light();
    stopAt(rows[0]?.[0] ?? items[0]);
    if (before) focus(rows[before[0]]?.[Math.min(before[1], rows[before[0]].length - 1)] ?? items[0]);
  }
  const close = () => { watch.disconnect(); box.remove(); delete root[VIEW]; };
  return { bind, close, connect(bytes) {
    if (bytes !== this.bytes) receive(JSON.parse(new TextDecoder().decode(bytes)));
    this.bytes = bytes;
  } };
}

export default function pipeline({ data, parentElement: root }) {
  if (root[VIEW] && root[VIEW].bind !== bind) root[VIEW].close(); // another version of this script (hot reload)
  root[VIEW] ??= bind(root);
  root[VIEW].connect(data);
  // Streamlit also calls this for a run of the script that a newer one overtook: only a viewer that is gone gets closed.
  return () => setTimeout(() => root.isConnected || root[VIEW]?.close());
}
