// A page of questions in a learning platform: its SCORM run-time hears of every answer, keeps what was done, and
// gives it back. SCORM 1.2 and 2004 differ in the names of what is told, which TOLD has. All words are Python's.

const TOLD = {
  "API": { // SCORM 1.2
    start: "LMSInitialize", get: "LMSGetValue", set: "LMSSetValue", save: "LMSCommit", end: "LMSFinish",
    status: "cmi.core.lesson_status", place: "cmi.core.lesson_location", score: "cmi.core.score",
    time: "cmi.core.session_time", exit: "cmi.core.exit", at: "time",
    answer: "student_response", type: "fill-in", wrong: "wrong", room: 4096, characters: 255,
    clock: (date) => date.toTimeString().slice(0, 8),
    span: (seconds) => [seconds / 3600, (seconds / 60) % 60, seconds % 60]
      .map((part, at) => String(Math.floor(part)).padStart(at ? 2 : 4, "0")).join(":"),
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

function found() { // the run-time, in a window around this one or in the one that opened it
  for (let window_ = window, far = 0; far < FAR; far++) {
    for (const one of [window_, window_.opener]) {
      try {
        for (const name of Object.keys(TOLD)) if (one?.[name]) return [one[name], TOLD[name]];
      } catch { /* a window of somebody else's */ }
    }
    if (window_.parent === window_) return [];
    window_ = window_.parent;
  }
  return [];
}
const [lms, told] = found();
const isChecked = (node) => node.querySelector("form script").textContent.trim() !== "[]";
const tasks = [...document.querySelectorAll(".task")].filter(isChecked);
const began = Date.now();
let kept = tasks.map(() => ({ tries: 0, right: 0, text: "" })); // the try that was right, from 1

const set = (name, value) => lms[told.set](name, String(value));
const isDone = ({ tries, right }) => right > 0 || tries >= WORTH.length;

function written() { // what is kept, without the longest texts where there is no room
  const all = kept.map(({ tries, right, text }) => [tries, right, text]);
  const text = () => JSON.stringify(all);
  while (text().length > told.room && all.some(([, , typed]) => typed)) {
    all.reduce((longest, one) => (one[2].length > longest[2].length ? one : longest))[2] = "";
  }
  return text();
}
function read(text) {
  try {
    const all = JSON.parse(text);
    if (!Array.isArray(all) || all.length !== kept.length) return false;
    kept = all.map(([tries, right, typed]) => ({ tries: +tries || 0, right: +right || 0, text: String(typed) }));
    return true;
  } catch {
    return false;
  }
}
function tell() { // score, progress and whether all is done
  const done = kept.filter(isDone).length;
  if (kept.length) {
    const share = kept.reduce((sum, { right }) => sum + (WORTH[right - 1] ?? 0), 0) / kept.length;
    set(`${told.score}.min`, 0);
    set(`${told.score}.max`, 100);
    set(`${told.score}.raw`, Math.round(share * 10000) / 100);
    if (told === TOLD.API_1484_11) {
      set(`${told.score}.scaled`, Math.round(share * 10000) / 10000);
      set("cmi.progress_measure", Math.round((done / kept.length) * 10000) / 10000);
    }
  }
  set(told.status, done === kept.length ? "completed" : "incomplete");
  set("cmi.suspend_data", written());
  lms[told.save]("");
}
function note({ name, kind, text, boxes }) { // an answer that could be read
  const at = tasks.findIndex((node) => node.id === name), one = kept[at];
  if (!one || isDone(one)) return; // what comes later counts for nothing
  one.tries += 1;
  one.text = JSON.stringify(boxes);
  if (kind === "right") one.right = one.tries;
  const place = `cmi.interactions.${lms[told.get]("cmi.interactions._count") || 0}`;
  set(`${place}.id`, `${name}-${one.tries}`);
  set(`${place}.type`, told.type);
  set(`${place}.${told.at}`, told.clock(new Date()));
  set(`${place}.${told.answer}`, text.slice(0, told.characters));
  set(`${place}.result`, kind === "right" ? "correct" : kind === "tied" ? "neutral" : told.wrong);
  set(told.place, name);
  tell();
}
if (lms) {
  lms[told.start]("");
  const isNew = !read(lms[told.get]("cmi.suspend_data"));
  if (!isNew) {
    const boxes = (text) => (text ? JSON.parse(text) : []);
    const detail = kept.map(({ right, text }, at) => ({ name: tasks[at].id, right: right > 0, boxes: boxes(text) }));
    document.dispatchEvent(new CustomEvent("resumed", { detail }));
    document.getElementById(lms[told.get](told.place))?.scrollIntoView();
  }
  tell();
  document.addEventListener("answered", ({ detail }) => note(detail));
  addEventListener("pagehide", () => {
    set(told.time, told.span((Date.now() - began) / 1000));
    set(told.exit, "suspend");
    lms[told.save]("");
    lms[told.end]("");
  }, { once: true });
} else {
  document.getElementById("no-lms").hidden = false;
}
