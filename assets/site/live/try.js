
// Follows flipbook.js on the page “Try”: a worker, live-worker.js, trains on a text; it has all its files from live.js,
// the script after this one: `tokenstepsParts`. All words are Python's.

const WORDS = JSON.parse(document.getElementById("words").textContent);
const WORKER = new URL("live-worker.js", document.currentScript.src);
const form = document.getElementById("try"), encoded = document.getElementById("encode");
const results = document.getElementById("results");
const [training, encoding] = results.querySelectorAll(".run");
const [note, start, stop] = ["[role=status]", "[type=submit]", ".stop"].map((one) => form.querySelector(one));
const NEW = () => { // browsers unable to run this throw there
  new RegExp("(?i:[\\p{L}--[a]])", "v");
  return WebAssembly && DecompressionStream;
};
const tell = (text, kind = "") => Object.assign(note, { textContent: text, className: `note verdict ${kind}` });

function here() { // the worker, from the page's function
  return URL.createObjectURL(new Blob([`(${globalThis.tokenstepsWorker})()`], { type: "text/javascript" }));
}
function hired() {
  const worker = new Worker(location.protocol === "file:" ? here() : WORKER);
  worker.onerror = () => { worker.lost = true; };
  return worker;
}
// Python, at work beside the page: each question has an answer, unless it is stopped.
class Desk {
  asked = new Map();
  number = 0;

  constructor(given, worker) {
    this.worker = worker;
    this.worker.addEventListener("message", ({ data }) => this.hear(data));
    this.worker.addEventListener("error", () => this.fail());
    this.ready = this.ask("start", { ...given, language: document.documentElement.lang.split("-")[0] });
    if (worker.lost) this.fail();
  }
  ask(what, given) {
    return new Promise((answer) => {
      this.asked.set(++this.number, answer);
      this.worker.postMessage({ id: this.number, what, given });
    });
  }
  hear({ id, told, done }) {
    if (id) this.asked.get(id)(told);
    else tell(WORDS.training.replace("{number}", done.toLocaleString("en")));
    this.asked.delete(id);
  }
  fail() {
    for (const answer of this.asked.values()) answer({ failed: true });
    this.asked.clear();
  }
  end() {
    this.worker.terminate();
    this.asked.clear();
  }
}
let desk, spare, parts;

async function prepare() { // Python anew
  desk = new Desk(parts, spare ?? hired());
  spare = hired(); // for after a stop, when there may be no network
  tell(WORDS.loading);
  const told = await desk.ready;
  start.disabled = Boolean(told.failed || told.refused);
  if (understood(told)) tell(WORDS.ready);
}
function understood(told) { // whether there is an answer; else the page says why not
  const trouble = (told.failed && WORDS.failed) || (told.refused && WORDS.refused) || told.error;
  if (trouble) tell(trouble, "wrong");
  return !trouble;
}
function work(on) {
  [start.disabled, stop.hidden] = [on, !on];
  form.ariaBusy = on;
}

// --- results
function show(section, name, { title, frames }) {
  const book = section.querySelector(".book"), turn = section.turn = {}; // nothing later is for this one
  section.querySelector("h2").textContent = title;
  const put = (data) => flipbook({ data, parentElement: book.shadowRoot, setStateValue: follow });
  async function follow(what, [, step, nonce]) { // the flipbook is near the edge of its frames
    if (what !== "step") return;
    const told = await desk.ask("frames", { book: name, step, nonce });
    if (section.turn === turn && understood(told) && told.frames) put(told.frames);
  }
  put(frames);
}
async function train() {
  const { text, algorithm, size } = form.elements;
  const given = { text: text.value, algorithm: algorithm.value, size: size.value };
  work(true);
  tell(WORDS.training.replace("{number}", "0"));
  const began = performance.now();
  const told = await desk.ask("train", { ...given, pre: form.elements[`pre-${algorithm.value}`].value });
  work(false);
  if (!understood(told)) return;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  tell(WORDS.trained.replace("{seconds}", seconds), "right");
  results.hidden = false;
  show(training, "training", told);
  document[MAIN] = training.querySelector(".book").shadowRoot.querySelector(".ts-flipbook");
  encoded.elements.text.value ||= text.value.trim().split("\n")[0].slice(0, WORDS.encode);
  await encode();
  training.scrollIntoView({ block: "start" });
}
async function encode() {
  const told = await desk.ask("encode", { text: encoded.elements.text.value });
  if (!understood(told)) return;
  results.querySelector(".tokens").innerHTML = told.tokens;
  results.querySelector(".ids").textContent = told.ids;
  results.querySelector(".count").textContent = told.count;
  const { word } = encoded.elements, chosen = word.value;
  word.replaceChildren(...told.words.map((one) => new Option(one)));
  if (told.words.includes(chosen)) word.value = chosen;
  encoding.hidden = !told.words.length;
  if (told.words.length) await explain();
}
async function explain() {
  const told = await desk.ask("explain", { word: encoded.elements.word.value });
  if (understood(told)) show(encoding, "encoding", told);
}
async function save() {
  const told = await desk.ask("save", {});
  if (!understood(told)) return;
  const href = URL.createObjectURL(new Blob([told.file], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href, download: "trace.json" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

// --- the forms
function choose() { // each algorithm has its own ways to split
  for (const box of form.querySelectorAll("[data-of]")) box.hidden = box.dataset.of !== form.elements.algorithm.value;
}
form.addEventListener("submit", (event) => { event.preventDefault(); train(); });
form.addEventListener("change", choose);
stop.addEventListener("click", () => { // nothing else ends Python
  desk.end();
  work(false);
  results.hidden = true; // the results went with it
  prepare();
});
encoded.addEventListener("submit", (event) => { event.preventDefault(); encode(); });
encoded.elements.text.addEventListener("change", encode);
encoded.elements.word.addEventListener("change", explain);
results.querySelector(".save").addEventListener("click", save);
choose();
for (const face of document.fonts) face.load(); // later, there may be no network
globalThis.tokenstepsParts = (given) => {
  parts = given;
  try {
    NEW();
    prepare();
  } catch {
    tell(WORDS.old, "wrong");
  }
};
addEventListener("load", () => { if (!parts) tell(WORDS.failed, "wrong"); });
