// A class's display, made of texts and tokens. All of it comes from others, so nothing here is ever markup.

const percent = (share) => `${Math.round(100 * share)} %`;
const plural = (labels, name, number) => { // of two forms of a message, `name_one` and `name_other`
  const rules = new Intl.PluralRules(document.documentElement.lang || "en");
  return filled(labels[`${name}_${rules.select(number)}`] ?? labels[`${name}_other`], { number });
};
// Where tokens may begin: at every character but a combining mark and the rest of a joined picture. Python asks about
// no word with a token like that. What readers take for one letter may be several tokens: a flag, ल्ली in Hindi.
const letters = (text) => text.match(/(?:\P{M}\p{M}*|\p{M}+)(?:\u200d\P{M}\p{M}*)*/gu) ?? [];

// The new children of a node, put into its old ones: a part that stays is the same node, and so keeps a finger on it,
// the focus, and text in the making; nothing here touches these. A node put in again itself stays as it is.
const isAlike = (one, other) => one === other || (!other.isConnected && one.nodeName === other.nodeName
  && one.type === other.type && one.dataset?.do === other.dataset?.do && one.dataset?.key === other.dataset?.key);
function put(node, children) {
  const free = [...node.childNodes];
  const parts = children.map((part) => {
    const index = free.findIndex((one) => isAlike(one, part));
    if (index < 0) return part;
    const [old] = free.splice(0, index + 1).slice(-1);
    if (old !== part) update(old, part);
    return old;
  });
  for (const one of [...node.childNodes]) if (!parts.includes(one)) one.remove();
  parts.forEach((part, index) => {
    if (node.childNodes[index] !== part) node.insertBefore(part, node.childNodes[index] ?? null);
  });
}
function update(node, fresh) {
  if (!(node instanceof Element)) {
    if (node.data !== fresh.data) node.data = fresh.data;
    return;
  }
  for (const { name } of [...node.attributes]) if (!fresh.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  put(node, [...fresh.childNodes]);
}

function tokenNode(text, index) {
  const colour = Number.isInteger(index) && index >= 0 && index < 10 ? `c${index}` : "";
  return make("bdi", { className: `t ${colour}`, textContent: text });
}
function textNodes(parts) { // a sentence: texts with tokens among them
  const nodes = [];
  for (const part of Array.isArray(parts) ? parts : [parts]) {
    const isToken = typeof part === "object" && part, text = isToken ? "" : String(part);
    const [tied = ""] = (nodes.at(-1)?.nodeName && /^\u00a0\S+/.exec(text)) || []; // no line ends in front of it
    if (tied) nodes.push(make("span", { className: "nb" }, nodes.pop(), tied));
    nodes.push(isToken ? tokenNode(String(part.t), part.c) : text.slice(tied.length));
  }
  return nodes;
}
function inLanguage(texts) { // the sentence in the reader's language, or the only existing one
  const code = (document.documentElement.lang || "en").split("-")[0];
  return textNodes(texts?.[code] ?? texts?.[""] ?? texts?.en ?? "");
}
function answerNodes(question, answer) { // as it is shown on a button or beside a bar
  const choice = question.choices?.find(({ id }) => id === answer);
  if (choice) {
    const nodes = choice.say ? inLanguage(choice.say) : textNodes(choice.text ?? choice.id);
    const isPair = nodes.filter((node) => node.nodeName).length > 1;
    return [make("span", { className: isPair ? "pair" : "" }, ...nodes)];
  }
  if (question.input === "text") return answer.split(" ").map((piece) => tokenNode(piece));
  return [make("bdi", { textContent: answer })];
}

// A typed number, as teaching/questions.py reads it for Predict: a decimal, or a sum, product, fraction or power.
const SIGNS = { "×": "*", "·": "*", "⋅": "*", x: "*", X: "*", "÷": "/", "⁄": "/", ":": "/", "−": "-", "–": "-" };
const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", PART = /\s*(?:([\d.,]+(?:e[-+]?\d{1,3})?)|(\S))/giy;
const OPERATIONS = [
  { "+": (one, other) => one + other, "-": (one, other) => one - other },
  { "*": (one, other) => one * other, "/": (one, other) => one / other },
];
const UNIT = /\s*(?:times?|occurrences?|pairs?|tokens?|pieces?|nats?|次|个|奈特|回|個|ナット)\.?$/i;
function readNumber(text) { // NaN for anything else; both sides of 1/8 = 0.125 must be the same number
  // Chinese and Japanese keyboards type full-width digits.
  const ascii = (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0);
  const sides = text.replace(/[！-～]/g, ascii).replace(/^[\s=≈~]+|[\s=≈~]+$/g, "").split(/[=≈]/);
  const [value, ...others] = sides.map(readSide);
  const rounding = (side) => { // half a unit of the last place, from two digits on
    const [, whole = "", decimals = "", percent] = /^[\s-]*(\d*)(?:\.(\d*))?\s*(%?)\s*$/.exec(side) ?? [];
    const significant = `${whole}${decimals}`.replace(/^0+/, "").length;
    return significant < 2 ? 1e-12 : 0.500005 / 10 ** (decimals.length + (percent ? 2 : 0));
  };
  return others.every((other, index) => Math.abs(other - value) <= rounding(sides[index + 1])) ? value : NaN;
}
function readSide(text) { // a number without a sign of equality
  const narrow = text.trim().replace(UNIT, "").replace(/\*\*/g, "^")
    .replace(/⁻?[⁰¹²³⁴-⁹]+/g, (raised) => `^${raised.replace(/./g, (sign) => "-0123456789"[RAISED.indexOf(sign)])}`)
    .replace(/[×·⋅xX÷⁄:−–]/g, (sign) => SIGNS[sign]);
  const share = narrow.endsWith("%") ? 100 : 1, parts = [...narrow.replace(/%$/, "").matchAll(PART)];
  let next = 0;
  const sign = () => parts[next]?.[2], takes = (wanted) => sign() === wanted && ++next;
  const decimal = (digits) => {
    const grouped = /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(digits);
    return Number(digits.replace(/,/g, grouped ? "" : "."));
  };
  const chain = (level) => {
    let value = level < OPERATIONS.length ? chain(level + 1) : signed();
    while (OPERATIONS[level]?.[sign()]) value = OPERATIONS[level][parts[next++][2]](value, chain(level + 1));
    return value;
  };
  const signed = () => (takes("-") ? -signed() : takes("+") ? signed() : power());
  const power = () => {
    let value = parts[next]?.[1] ? decimal(parts[next++][1]) : NaN;
    if (takes("(")) [value] = [chain(0), takes(")") || (next = Infinity)];
    if (!takes("^")) return value;
    const exponent = signed();
    return Number.isInteger(exponent) ? value ** exponent : NaN;
  };
  const value = chain(0) / share;
  return next === parts.length ? value : NaN;
}
function canonicalNumber(text) { // in the one form for counting numbers: whole, or with three significant digits
  const value = readNumber(text);
  if (!Number.isFinite(value)) return null;
  if (Number.isInteger(value)) return String(value + 0);
  const rounded = Number(value.toPrecision(3));
  return Number.isInteger(rounded) ? String(rounded) : rounded.toFixed(12).replace(/0+$/, "");
}

const SHORT = 20; // characters of an answer with its bar beside it
const BARS = 6; // bars with room on a wall beside its buttons, in projector mode too; the rest are counted together
const NARROW = 4; // columns of bars with their numbers below

// Bars of one round, or of two side by side: [{bars, others, answered}], the same question's.
function barRows(question, rounds) {
  const known = new Set((question.choices ?? []).map(({ id }) => id));
  if (!known.size) for (const { bars = [] } of [...rounds].reverse()) for (const { answer } of bars) known.add(answer);
  return [...known].map((answer) => ({
    answer, counts: rounds.map(({ bars = [] }) => bars.find((one) => one.answer === answer)?.count ?? 0),
  }));
}
const TEAM_SHAPES = ["●", "▲", "■", "◆"]; // beside their colours, for colour-blind readers
function teamNode(labels, team) { // the mark of a team: a shape, a letter, a colour
  const name = filled(labels.team, { name: "ABCD"[team] });
  return make("span", { className: `team team-${team}` },
    make("i", { textContent: TEAM_SHAPES[team], ariaHidden: "true" }), ` ${name}`);
}
function verdictOf({ key = [], tied = [], near: [least, most] = [] }, answer) {
  const right = key.includes(answer) || (least <= Number(answer) && Number(answer) <= most);
  return right ? "right" : tied.includes(answer) ? "tied" : "";
}
// `shown`: {key, tied} once the right one may be told; `teams`: whether the columns are the teams'.
function barsTable(labels, question, rounds, shown, teams = false) {
  const all = barRows(question, rounds), [right] = shown?.key ?? [];
  const worth = ({ answer }) => Boolean(shown) && verdictOf(shown, answer);
  if (right !== undefined && !all.some((row) => worth(row) === "right")) {
    all.push({ answer: right, counts: rounds.map(() => 0) });
  }
  const first = (row) => Math.max(...row.counts) + (worth(row) ? 0.5 : 0); // before others with as many votes
  const frequent = [...all].sort((one, other) => first(other) - first(one)).slice(0, BARS);
  const rows = all.filter((row) => frequent.includes(row) || worth(row));
  const rest = all.filter((row) => !rows.includes(row));
  const others = rounds.map((round, index) =>
    rest.reduce((sum, { counts }) => sum + counts[index], round.others?.count ?? 0));
  if (rest.length || others.some(Boolean)) rows.push({ answer: null, counts: others });
  const most = Math.max(1, ...rows.flatMap(({ counts }) => counts));
  const totals = rounds.map((round) => Math.max(1, round.answered ?? 0));
  const share = (number, index) => number / (teams ? totals[index] : most); // teams are of different sizes
  const voteOf = (index) => rounds[index].vote ?? index + 1; // some in between may not be shown
  const vote = (index) => (rounds.length > 1 ? filled(labels.vote, { number: voteOf(index) }) : labels.votes);
  const head = make("tr", {}, make("th", { textContent: labels.answer }), ...rounds.map((_round, index) =>
    make("th", {}, teams ? teamNode(labels, index) : vote(index))));
  const body = rows.map(({ answer, counts }) => {
    const verdict = answer !== null && shown ? verdictOf(shown, answer) : "";
    const nodes = answer === null ? [labels.others] : answerNodes(question, answer);
    const name = make("th", { scope: "row" }, make("div", { className: "answer" }, ...nodes));
    if (verdict) name.append(make("b", { className: "verdict", textContent: labels[verdict] }));
    return make("tr", { className: verdict }, name, ...counts.map((number, index) => make("td", {}, make("span",
      { className: "bar", style: `--share:${share(number, index)}` }),
    make("span", { className: "number", textContent: `${number} · ${percent(number / totals[index])}` }))));
  });
  const long = body.some((row) => row.querySelector(".answer").textContent.length > SHORT);
  const className = `bars rounds-${Math.min(rounds.length, NARROW)} ${long ? "long" : ""}`;
  return make("table", { className, style: `--rounds:${rounds.length}` }, make("thead", {}, head),
    make("tbody", {}, ...body));
}

// Answers in people's own words, without names: the ones picked by the lecturer.
function wordsTable(labels, question, { bars = [], picked = [], answered: all = 0 }, revealed) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const rows = bars.filter(({ answer }) => picked.includes(answer)).map(({ answer, count, verdict }) => {
    const marked = revealed && verdict;
    const name = make("th", { scope: "row" }, make("bdi", { textContent: answer }));
    if (marked) name.append(make("b", { className: "verdict", textContent: labels[`mark_${verdict}`] }));
    return make("tr", { className: marked ? verdict : "" }, name, make("td", {},
      make("span", { className: "bar", style: `--share:${count / most}` }),
      make("span", { className: "number", textContent: `${count} · ${percent(count / Math.max(1, all))}` })));
  });
  if (!rows.length) return make("p", { className: "soft", textContent: labels.none_picked });
  return make("table", { className: "bars in-words" }, make("tbody", {}, ...rows));
}

// Where the class was lost: steps from left to right, a column for each place with such a message.
function lostCurve(labels, places) {
  const most = Math.max(1, ...places.map(({ count }) => count));
  const list = make("ol", { className: "lost-curve", ariaLabel: labels.lost_curve });
  for (const { step, count, label } of places) {
    const message = filled(labels.lost_at, { step: step ?? "–", number: count });
    const number = make("b", { textContent: count, ariaHidden: "true" });
    const column = make("i", { style: `--share:${count / most}` });
    list.append(make("li", { title: label ? `${label} · ${message}` : message }, number, column,
      make("small", { textContent: step ?? "–" }), make("span", { className: "unseen", textContent: message })));
  }
  return list;
}

function qrNode({ size, path }, label) { // black on white, whatever the theme
  const node = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  node.setAttribute("viewBox", `0 0 ${Number(size)} ${Number(size)}`);
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", label);
  node.setAttribute("shape-rendering", "crispEdges");
  const drawn = document.createElementNS(node.namespaceURI, "path");
  drawn.setAttribute("d", path);
  node.append(drawn);
  return node;
}
