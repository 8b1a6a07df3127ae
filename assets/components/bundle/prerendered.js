// The stage in the page's HTML is a flipbook like any other, with its frames beside it in the page. It stands and steps
// while Streamlit starts; then it moves to its place (`settle` in flipbook.js). Pages not drawn here, such as a
// projected one, wait for Streamlit.
const THEME = `stActiveTheme-${location.pathname}-v2`; // Streamlit's place for the chosen theme
const WIDTH = "sidebarWidth"; // and how wide somebody has made the menu

function showEarly(page) {
  const stored = (store, name) => { try { return store().getItem(name); } catch { return null; } };
  if (stored(() => sessionStorage, "tokensteps.projector")) return page.remove();
  const theme = { '"Light"': "light", '"Dark"': "dark" }[stored(() => localStorage, THEME)] ?? "light dark";
  Object.assign(document.documentElement, { lang: page.lang }).style.colorScheme = theme;
  page.style.setProperty("--menu", `${parseInt(stored(() => localStorage, WIDTH)) || 281.25}px`);
  page.hidden = false;
  const packed = Uint8Array.from(atob(page.querySelector("template").innerHTML), (letter) => letter.charCodeAt());
  const step = Number(new URLSearchParams(location.search).get("step")?.match(/^\d{1,9}$/)?.[0] ?? 0);
  const head = new TextEncoder().encode(`${JSON.stringify({ seek: [step, 1] })}\n`);
  const data = new Uint8Array(head.length + packed.length);
  data.set(head);
  data.set(packed, head.length);
  const host = page.querySelector(".book"), root = host.attachShadow({ mode: "open" });
  const args = { data, parentElement: root, setStateValue() {}, setTriggerValue() {} };
  draw("flipbook", JSON.parse(host.dataset.styles), args);
  document[EARLY] = root;
  document.addEventListener("tokensteps:stage", () => { if (!root.contains(document[MAIN])) dropEarly(); });
}
