
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
const showNote = (text, kind = "") => Object.assign(note, { textContent: text, className: `note verdict ${kind}` });

function here() { // the worker, from the page's function
  return URL.createObjectURL(new Blob([`(${globalThis.tokenstepsWorker})()`], { type: "text/javascript" }));
}
function startWorker() {
  const worker = new Worker(location.protocol === "file:" ? here() : WORKER);
  worker.onerror = () => { worker.lost = true; };
  return worker;
}
// Python, at work beside the page: each question has an answer, unless it is stopped.
class Client {
  pending = new Map();
  number = 0;

  constructor(options, worker) {
    this.worker = worker;
    this.worker.addEventListener("message", ({ data }) => this.hear(data));
    this.worker.addEventListener("error", () => this.fail());
    this.ready = this.ask("start", { ...options, language: document.documentElement.lang.split("-")[0] });
    if (worker.lost) this.fail();
  }
  ask(what, payload) {
    return new Promise((answer) => {
      this.pending.set(++this.number, answer);
      this.worker.postMessage({ id: this.number, what, payload });
    });
  }
  hear({ id, result, done }) {
    if (id) this.pending.get(id)(result);
    else showNote(WORDS.training.replace("{number}", done.toLocaleString("en")));
    this.pending.delete(id);
  }
  fail() {
    for (const answer of this.pending.values()) answer({ failed: true });
    this.pending.clear();
  }
  end() {
    this.worker.terminate();
    this.pending.clear();
  }
}
let python, spare, parts;

async function prepare() { // Python anew
  python = new Client(parts, spare ?? startWorker());
  spare = startWorker(); // for after a stop, when there may be no network
  showNote(WORDS.loading);
  const result = await python.ready;
  start.disabled = Boolean(result.failed || result.refused);
  if (checkResult(result)) showNote(WORDS.ready);
}
function checkResult(result) { // whether there is an answer; else the page says why not
  const trouble = (result.failed && WORDS.failed) || (result.refused && WORDS.refused) || result.error;
  if (trouble) showNote(trouble, "wrong");
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
    const result = await python.ask("frames", { book: name, step, nonce });
    if (section.turn === turn && checkResult(result) && result.frames) put(result.frames);
  }
  put(frames);
}
async function train() {
  const { text, algorithm, size } = form.elements;
  const fields = { text: text.value, algorithm: algorithm.value, size: size.value && String(size.valueAsNumber) };
  work(true);
  showNote(WORDS.training.replace("{number}", "0"));
  const began = performance.now();
  const result = await python.ask("train", { ...fields, pre: form.elements[`pre-${algorithm.value}`].value });
  work(false);
  if (!checkResult(result)) return;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  showNote(WORDS.trained.replace("{seconds}", seconds), "right");
  results.hidden = false;
  show(training, "training", result);
  document[MAIN] = training.querySelector(".book").shadowRoot.querySelector(".ts-flipbook");
  encoded.elements.text.value ||= shortened(text.value.trim().split("\n")[0], WORDS.encode);
  await encode();
  training.scrollIntoView({ block: "start" });
}
async function encode() {
  const result = await python.ask("encode", { text: encoded.elements.text.value });
  if (!checkResult(result)) return;
  results.querySelector(".tokens").innerHTML = result.tokens;
  results.querySelector(".ids").textContent = result.ids;
  results.querySelector(".count").textContent = result.count;
  const { word } = encoded.elements, chosen = word.value;
  word.replaceChildren(...result.words.map((one) => new Option(one)));
  if (result.words.includes(chosen)) word.value = chosen;
  encoding.hidden = !result.words.length;
  if (result.words.length) await explain();
}
async function explain() {
  const result = await python.ask("explain", { word: encoded.elements.word.value });
  if (checkResult(result)) show(encoding, "encoding", result);
}
async function save() {
  const result = await python.ask("save", {});
  if (!checkResult(result)) return;
  const href = URL.createObjectURL(new Blob([result.file], { type: "application/json" }));
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
  python.end();
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
globalThis.tokenstepsParts = (loaded) => {
  parts = loaded;
  try {
    NEW();
    prepare();
  } catch {
    showNote(WORDS.old, "wrong");
  }
};
addEventListener("load", () => { if (!parts) showNote(WORDS.failed, "wrong"); });
