// The questions prepared for classes. The browser keeps them, in its storage, in the order of asking; a class takes
// them to the lecturer's other devices, and a file anywhere.

const DECK = "tokensteps.deck", MOST_PREPARED = 60;
const MOST_AT = 8_000; // characters of an address: a link with a text of the lecturer's own
const MOST_SHARED = 60_000; // characters, as in a class's log: the most to share with the lecturer's other devices

const deck = {
  all() { // a browser may keep nothing, and give back anything
    const all = storage.get(DECK);
    return (Array.isArray(all) ? all : []).slice(0, MOST_PREPARED).map(tidyQuestion).filter(({ say }) => say);
  },
  keep(questions) {
    storage.set(DECK, questions.slice(0, MOST_PREPARED));
    document.dispatchEvent(new Event("tokensteps:deck"));
  },
  shared() { // as many as there is room for, the first ones first
    const all = deck.all(), size = () => JSON.stringify(all).replace(/[^\0-~]/g, "\\u1234").length;
    while (size() > MOST_SHARED) all.pop();
    return all;
  },
  of({ deck: questions = [] }) { // the class's, from the first device with questions
    return questions.length ? questions.slice(0, MOST_PREPARED).map(tidyQuestion) : deck.all();
  },
  left(state) {
    return deck.of(state).filter(({ id }) => !state.asked.includes(id));
  },
  next(state) { // of the plan's activity, or of none; not another activity's
    const open = deck.left(state), walk = state.plan?.walk ?? "";
    return open.find(({ activity }) => activity && activity === walk) ?? open.find(({ activity }) => !activity);
  },
};
function tidyQuestion(one) {
  const text = (name, most) => (typeof one?.[name] === "string" ? shortened(one[name], most) : "");
  const list = Array.isArray(one?.choices) ? one.choices : [];
  const choices = list.slice(0, 6).map((choice) => shortened(String(choice), 200));
  const right = Number.isInteger(one?.right) && one.right < choices.length ? one.right : -1;
  return { id: text("id", 20) || Math.random().toString(36).slice(2, 12), say: text("say", 500),
    kind: text("kind", 20) || "choices", answer: text("answer", 200), choices, right, activity: text("activity", 12),
    at: text("at", MOST_AT) };
}
function placeOf(href) { // an address in the app: {page, query, step}
  const [page, rest = ""] = href.split("?"), query = new URLSearchParams(rest), step = Number(query.get("step") ?? 0);
  query.delete("step");
  query.sort();
  return { page, query: query.toString(), step: Number.isInteger(step) && step >= 0 ? step : 0 };
}
