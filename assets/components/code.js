// The code in step: marks the line that the beat on the stage is at, and says what its names stand for.
// Python sends the lines as markup and the place of each key; the frames name the keys (data-code) and the values
// (data-values) of their two beats. Nothing here asks the server.
// Streamlit runs the default export again for each new payload, without cleanup: one view lives on the root.

const VIEW = Symbol.for("tokensteps.code"), MAIN = Symbol.for("tokensteps.stage");

function bind(root) {
  const box = document.createElement("div");
  box.className = "ts ts-code";
  box.innerHTML = `<header aria-hidden="true"><p></p><p></p><p></p></header><ol tabindex="0"></ol>`;
  root.append(box);
  const list = box.querySelector("ol"), [head, ...rows] = box.querySelectorAll("header p");
  let lines = {}, file = "", stage, marked = [], shown;

  const watcher = new MutationObserver(show), gone = new AbortController();
  function find() { // the page's flipbook, which may have been mounted anew
    const next = document[MAIN]?.querySelector(":scope > .stage");
    if (next === stage) return;
    watcher.disconnect();
    stage = next;
    if (stage) watcher.observe(stage, { attributes: true, attributeFilter: ["data-beat"], childList: true });
    show();
  }
  document.addEventListener("tokensteps:stage", find, { signal: gone.signal });

  function show() {
    const { code = "", values = "" } = stage?.querySelector("[data-code]")?.dataset ?? {}, beat = stage?.dataset.beat ?? "2";
    const where = [...(document[MAIN]?.querySelectorAll(".where > *") ?? [])].map((part) => part.textContent).join(" "), now = [where, beat, code, values].join("\n");
    if (now === shown) return;
    shown = now;
    head.textContent = [file, where].filter(Boolean).join(" · ");
    for (const line of marked) { line.className = line.lastChild.textContent = ""; line.ariaCurrent = null; }
    marked = [];
    for (const row of rows) row.textContent = row.className = "";
    const keys = code.split(" "), said = values.split("\n");
    keys.slice(0, beat === "1" ? 1 : 2).forEach((of, at, all) => { // in the second beat, the first one's lines stay, paler
      const here = at === all.length - 1, found = of.split("+").map((key) => list.children[lines[key] - 1]).filter(Boolean);
      for (const line of found) line.className = here ? "now" : "was";
      marked.push(...found);
      if (!found.length) return;
      found[0].lastChild.textContent = said[at] ?? "";
      rows[at].textContent = `${found[0].firstChild.textContent}  ${said[at] ?? ""}`;
      rows[at].className = here ? "now" : "";
      if (!here) return;
      found[0].ariaCurrent = "step";
      follow(found[0]);
    });
  }
  function follow(line) { // scrolls the list alone, never the page
    const a = line.getBoundingClientRect(), b = list.getBoundingClientRect(), room = 2 * a.height;
    if (a.top < b.top + room || a.bottom > b.bottom - room) list.scrollTop += a.top - b.top - (b.height - a.height) / 2;
  }
  function receive(message) {
    ({ lines, file } = message);
    list.ariaLabel = message.label;
    if (list.source !== message.html) list.innerHTML = list.source = message.html;
    [marked, shown] = [[], undefined];
    find();
    show();
  }
  function close() {
    watcher.disconnect();
    gone.abort();
    box.remove();
    delete root[VIEW];
  }
  return { bind, close, connect(data) {
    if (data !== this.data) receive(JSON.parse(new TextDecoder().decode(data)));
    this.data = data;
    find();
  } };
}

export default function code({ data, parentElement: root }) {
  if (root[VIEW] && root[VIEW].bind !== bind) root[VIEW].close(); // another version of this script (hot reload)
  root[VIEW] ??= bind(root);
  root[VIEW].connect(data);
  // Streamlit also calls this for a run of the script that a newer one overtook: only a view that is gone gets closed.
  return () => setTimeout(() => root.isConnected || root[VIEW]?.close());
}
