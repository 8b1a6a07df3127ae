// While the server can't be reached, a quiet strip at the foot of every page says so, in the page's language;
// Streamlit's own dialog is switched off (page/at_home.html). The strip takes its room from the page and covers
// nothing; the look is in page.css. Streamlit comes back by itself; again.js then restores what the address lacks.

const ROOM = "--ts-away", AWAY = "data-away";
const SOON = 1500; // ms: shorter ones are nobody's concern
const strip = make("p", { className: "ts-away", hidden: true });
let words = "", timer;

function isAway() {
  const { testConnectionState: state } = document.querySelector(".stApp")?.dataset ?? {};
  return !navigator.onLine || (state !== undefined && state !== "CONNECTED");
}
function look() {
  clearTimeout(timer);
  timer = setTimeout(show, isAway() && strip.hidden ? SOON : 0);
}
function show() {
  const page = document.documentElement, on = isAway();
  strip.style.colorScheme = getComputedStyle(document.querySelector(".stApp") ?? page).colorScheme;
  strip.hidden = !on;
  strip.textContent = on ? words : ""; // a status is read out when it changes
  page.toggleAttribute(AWAY, on);
  page.style.setProperty(ROOM, `${strip.offsetHeight}px`);
  dispatchEvent(new Event("resize")); // for parts that fit themselves into the window
}

export default function connection({ data }) {
  words = data.away;
  if (strip.isConnected) return;
  strip.setAttribute("role", "status");
  document.body.append(strip);
  new MutationObserver(look).observe(document.body, {
    subtree: true, attributeFilter: ["data-test-connection-state"],
  });
  for (const event of ["online", "offline"]) addEventListener(event, look);
}
