// A page of questions in a learning platform: its SCORM run-time hears of every answer, keeps the results, and gives
// them back. SCORM 1.2 and 2004 differ in the names of the data: VERSIONS has them. All words are Python's.

const VERSIONS = {
  "API": { // SCORM 1.2
    start: "LMSInitialize", get: "LMSGetValue", set: "LMSSetValue", save: "LMSCommit", end: "LMSFinish",
    status: "cmi.core.lesson_status", place: "cmi.core.lesson_location", score: "cmi.core.score",
    time: "cmi.core.session_time", exit: "cmi.core.exit", at: "time",
    answer: "student_response", type: "fill-in", wrong: "wrong", room: 4096, characters: 255,
    clock: (date) => date.toTimeString().slice(0, 8),
    span: (seconds) => [seconds / 3600, (seconds / 60) % 60, seconds % 60]
      .map((part, index) => String(Math.floor(part)).padStart(index ? 2 : 4, "0")).join(":"),
  },
  "API_1484_11": { // SCORM 2004
    start: "Initialize", get: "GetValue", set: "SetValue", save: "Commit", end: "Terminate",
    status: "cmi.completion_status", place: "cmi.location", score: "cmi.score",
    time: "cmi.session_time", exit: "cmi.exit", at: "timestamp",
    answer: "learner_response", type: "other", wrong: "incorrect", room: 64000, characters: 4000,
    clock: (date) => date.toISOString().replace(/\.\d+Z$/, ".0Z"),
    span: (seconds) => `PT${Math.floor(seconds)}S`,
  },
};
const WORTH = [1, 0.5, 0.25]; // right at the first try, at the second, at the third: as in the app
const FAR = 10; // windows between this one and the platform's

function findApi() { // the run-time, in a window around this one or in its opener
  for (let window_ = window, far = 0; far < FAR; far++) {
    for (const one of [window_, window_.opener]) {
      try {
        const name = Object.keys(VERSIONS).find((name) => one?.[name]);
        if (name) return [one[name], VERSIONS[name], one === window_ ? one : window];
      } catch { /* a window of somebody else's */ }
    }
    if (window_.parent === window_) return [];
    window_ = window_.parent;
  }
  return [];
}
const [lms, version, platform] = findApi();
const isChecked = (node) => node.querySelector("form script").textContent.trim() !== "[]";
const tasks = [...document.querySelectorAll(".task")].filter(isChecked);
const began = Date.now();
let results = tasks.map(() => ({ tries: 0, right: 0, boxes: [] })); // the right try, from 1; the last answer

const set = (name, value) => lms[version.set](name, String(value));
const isDone = ({ tries, right }) => right > 0 || tries >= WORTH.length;

function serialized() { // a digit for each question, and the last answers, without the longest where there is no room
  const digits = results.map(({ tries, right }) => (4 * tries + right).toString(16)).join(""), last = {};
  const sized = results.map(({ boxes }, index) => [JSON.stringify({ [index]: boxes }).length, index, boxes]);
  let room = version.room - JSON.stringify([digits, {}]).length;
  for (const [size, index, boxes] of sized.sort(([one], [other]) => one - other)) {
    if (boxes.length && (room -= size) >= 0) last[index] = boxes;
  }
  return JSON.stringify([digits, last]);
}
function read(text) {
  try {
    const [digits, last] = JSON.parse(text);
    if (typeof digits !== "string" || digits.length !== results.length) return false;
    const state = (digit, i) => ({ tries: digit >> 2, right: digit & 3, boxes: [last[i] ?? []].flat().map(String) });
    results = [...digits].map((digit, index) => state(parseInt(digit, 16), index));
    return true;
  } catch {
    return false;
  }
}
function report() { // score, progress and whether all is done
  const done = results.filter(isDone).length;
  if (results.length) {
    const share = results.reduce((sum, { right }) => sum + (WORTH[right - 1] ?? 0), 0) / results.length;
    set(`${version.score}.min`, 0);
    set(`${version.score}.max`, 100);
    set(`${version.score}.raw`, Math.round(share * 10000) / 100);
    if (version === VERSIONS.API_1484_11) {
      set(`${version.score}.scaled`, Math.round(share * 10000) / 10000);
      set("cmi.progress_measure", Math.round((done / results.length) * 10000) / 10000);
    }
  }
  set(version.status, done === results.length ? "completed" : "incomplete");
  set("cmi.suspend_data", serialized());
  lms[version.save]("");
}
function note(event) { // a readable answer
  const { name, kind, text, boxes } = event.detail;
  const index = tasks.findIndex((node) => node.id === name), one = results[index];
  if (!one || isDone(one)) return event.preventDefault(); // later answers count for nothing, on the page, too
  if (JSON.stringify(boxes) === JSON.stringify(one.boxes)) return; // a second tap is no second try: as in the app
  one.tries += 1;
  one.boxes = boxes;
  if (kind === "right") one.right = one.tries;
  const path = `cmi.interactions.${lms[version.get]("cmi.interactions._count") || 0}`;
  set(`${path}.id`, `${name}-${one.tries}`);
  set(`${path}.type`, version.type);
  set(`${path}.${version.at}`, version.clock(new Date()));
  set(`${path}.${version.answer}`, text.slice(0, version.characters));
  set(`${path}.result`, kind === "right" ? "correct" : kind === "tied" ? "neutral" : version.wrong);
  set(version.place, name);
  report();
}
if (lms) {
  lms[version.start]("");
  const isNew = !read(lms[version.get]("cmi.suspend_data"));
  if (!isNew) {
    const detail = results.map(({ right, boxes }, index) => ({ name: tasks[index].id, right: right > 0, boxes }));
    document.dispatchEvent(new CustomEvent("resumed", { detail }));
    document.getElementById(lms[version.get](version.place))?.scrollIntoView();
  }
  report();
  document.addEventListener("answered", note);
  addEventListener("pagehide", () => {
    set(version.time, version.span((Date.now() - began) / 1000));
    set(version.exit, "suspend");
    lms[version.save]("");
    lms[version.end]("");
  }, { once: true });
  addEventListener("pageshow", ({ persisted }) => persisted && platform.location.reload()); // Back to an ended session
} else {
  document.getElementById("no-lms").hidden = false;
}
