// While the server can't be reached, a quiet strip at the foot of every page says so, in the page's language;
// Streamlit's own dialog is switched off (page/at_home.html). The strip takes its room from the page and covers
// nothing; the look is in page.css. Streamlit comes back by itself; again.js then restores what the address lacks. A
// server may also be there without answering: where a request of the page's waits for long, a look at the server's
// health tells whether it is silent, or only busy with the request.

const ROOM = "--ts-away", AWAY = "data-away";
const SOON = 1500; // ms: shorter ones are nobody's concern
const strip = make("p", { className: "ts-away", hidden: true });
let words = "", timer, silent = false, offline = false;

function isAway() {
  const { testConnectionState: state } = document.querySelector(".stApp")?.dataset ?? {};
  return silent || offline || (state !== undefined && state !== "CONNECTED");
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
async function listen(request) {
  let open = true;
  const ended = request.catch(() => {}).then(() => { open = false; });
  const pause = () => Promise.race([ended, new Promise((resolve) => setTimeout(resolve, SILENCE))]);
  for (await pause(); open; await pause()) {
    say(await Promise.race([isServerSilent(), ended.then(() => false)]));
  }
  say(false);
}
function say(is) {
  if (is === silent) return;
  silent = is;
  look();
}

export default function connection({ data }) {
  words = data.away;
  if (strip.isConnected) return;
  strip.setAttribute("role", "status");
  document.body.append(strip);
  new MutationObserver(look).observe(document.body, {
    subtree: true, attributeFilter: ["data-test-connection-state"],
  });
  watchNetwork((lost) => {
    offline = lost;
    look();
  });
  document.addEventListener("tokensteps:request", ({ detail }) => listen(detail));
  look(); // it may be lost by now
}
