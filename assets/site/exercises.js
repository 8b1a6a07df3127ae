// Questions on a page of a site. The page has a lock of the answer in a box: hashes of all right ones, and the way to
// read typed text. The plain form of an answer is hashed: see tokensteps/site/locks.py. All words are Python's.

const WORDS = JSON.parse(document.getElementById("words").textContent);
const MOST = 120, HASH = 16; // characters of a number, digits of a hash

// --- SHA-256 (FIPS 180-4): the browser's own is missing where a page came without encryption
const primes = (number) => {
  const results = [];
  for (let one = 2; results.length < number; one++) if (results.every((prime) => one % prime)) results.push(one);
  return results;
};
const fraction = (number) => Math.floor((number % 1) * 2 ** 32);
const ROUNDS = primes(64).map((prime) => fraction(Math.cbrt(prime)));
const START = primes(8).map((prime) => fraction(Math.sqrt(prime)));
const turn = (word, by) => (word >>> by) | (word << (32 - by));

function sha256(text) { // hexadecimal
  const bytes = new TextEncoder().encode(text), size = (bytes.length + 72) & ~63; // a 1, the length, whole blocks
  const data = new DataView(new ArrayBuffer(size)), state = [...START];
  bytes.forEach((byte, index) => data.setUint8(index, byte));
  data.setUint8(bytes.length, 0x80);
  data.setUint32(size - 4, bytes.length * 8);
  for (let offset = 0; offset < size; offset += 64) mix(state, data, offset);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
function mix(state, data, start) {
  const words = Array.from({ length: 16 }, (_, index) => data.getUint32(start + 4 * index));
  for (let index = 16; index < 64; index++) {
    const [one, two] = [words[index - 15], words[index - 2]];
    const low = turn(one, 7) ^ turn(one, 18) ^ (one >>> 3), high = turn(two, 17) ^ turn(two, 19) ^ (two >>> 10);
    words[index] = (words[index - 16] + low + words[index - 7] + high) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let index = 0; index < 64; index++) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[index] + words[index];
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => { state[index] = (state[index] + word) | 0; });
}

// --- numbers: whole ones, decimals, fractions, products, powers; exact, as a numerator and a denominator
const SIGNS = { "×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "⁄": "/", ":": "/" };
const THOUSANDS = /(?<![\d.,])([1-9]\d{0,2})((?:,\d{3})+)(?![\d,])/g;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", LOWERED = "0123456789-+", POWER_BITS = 4000;
const SCIENTIFIC = /^([-+]?[\d.]+) *\* *10 *\^ *\(?([-+]?\d{1,3})\)?$/;
const UNITS = "times?|occurrences?|pairs?|tokens?|pieces?|nats?|次|个|奈特|回|個|ナット";
const UNIT = new RegExp(`\\s*(?:${UNITS})\\.?$`, "i");
const DECIMAL = /^[-+]*(\d*\.?\d+(?:e[-+]?\d{1,3})?|\d+\.?)$/i;

function narrow(text) { // full-width characters, as Chinese and Japanese keyboards type them, as ASCII ones
  return text.replace(/[！-～]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));
}
function plainSigns(text) { // as teaching/questions.py reads numbers
  const lowered = (signs) => `^${[...signs].map((sign) => LOWERED[RAISED.indexOf(sign)]).join("")}`;
  const raised = text.trim().replace(UNIT, "").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+/g, lowered);
  return raised.replace(/[×·⋅÷−–⁄:]/g, (sign) => SIGNS[sign]).replaceAll("**", "^")
    .replace(THOUSANDS, (match) => match.replaceAll(",", "")).replace(/(?<=\d),(?=\d)/g, ".")
    .replace(/(?<=[\d)])(?<!\b0)\s*x\s*(?=[\d.(])/gi, "*").trim();
}
class Calculation {
  at = 0;

  constructor(text) {
    this.parts = text.match(/\d+\.(?!\d)|\d*\.?\d+(?:e[-+]?\d{1,3})?|\S/gi) ?? [];
  }
  value() { // [numerator, denominator]; throws for anything else
    const result = this.sum();
    if (this.at < this.parts.length) throw new SyntaxError(this.parts[this.at]);
    return result;
  }
  takes(signs) {
    return signs.includes(this.parts[this.at]) ? this.parts[this.at++] : null;
  }
  sum() {
    let [top, bottom] = this.product();
    for (let sign; (sign = this.takes(["+", "-"]));) {
      const [other, under] = this.product();
      [top, bottom] = [top * under + (sign === "+" ? other : -other) * bottom, bottom * under];
    }
    return [top, bottom];
  }
  product() {
    let [top, bottom] = this.factor();
    for (let sign; (sign = this.takes(["*", "/"]));) {
      const [other, under] = this.factor();
      [top, bottom] = sign === "*" ? [top * other, bottom * under] : [top * under, bottom * other];
    }
    if (!bottom) throw new RangeError("division by zero");
    return bottom < 0n ? [-top, -bottom] : [top, bottom];
  }
  factor() {
    const sign = this.takes(["+", "-"]);
    if (sign) {
      const [top, bottom] = this.factor();
      return [sign === "-" ? -top : top, bottom];
    }
    const base = this.atom();
    return this.takes(["^"]) ? this.power(base, this.factor()) : base;
  }
  atom() {
    if (!this.takes(["("])) return this.number(this.parts[this.at++] ?? "");
    const result = this.sum();
    if (!this.takes([")"])) throw new SyntaxError(")");
    return result;
  }
  power([top, bottom], [exponent, under]) { // under is positive
    const times = exponent / under, size = times < 0n ? -times : times;
    const bits = top.toString(2).length + bottom.toString(2).length;
    if (times * under !== exponent || bits * Number(size) > POWER_BITS) throw new RangeError("power");
    if (times >= 0n) return [top ** size, bottom ** size];
    if (!top) throw new RangeError("division by zero");
    return top < 0n ? [(-bottom) ** size, (-top) ** size] : [bottom ** size, top ** size];
  }
  number(text) {
    if (!DECIMAL.test(text)) throw new SyntaxError(text);
    const [digits, power = "0"] = text.toLowerCase().split("e"), [whole, part = ""] = digits.split(".");
    const shift = Number(power) - part.length, number = BigInt(whole + part);
    return shift < 0 ? [number, 10n ** BigInt(-shift)] : [number * 10n ** BigInt(shift), 1n];
  }
}
function readNumber(text) { // its value, the typed numbers of decimals and digits; null for anything else
  const plain = narrow(text.trim().slice(0, MOST)).replace(/^[=≈~ ]+|[=≈~ ]+$/g, "");
  const sides = plain.split(/[=≈]/).map(readSide), [first] = sides;
  return first && sides.every((side) => side && isSame(side, first)) ? first : null;
}
function isSame({ value: [top, bottom], places, few }, { value }) { // as the same number, or rounded from it
  if (top * value[1] === value[0] * bottom) return true;
  const shift = 10n ** BigInt(Number.isFinite(places) ? places : 0), off = top * value[1] - value[0] * bottom;
  return !few && Number.isFinite(places) && 2n * (off < 0n ? -off : off) * shift <= bottom * value[1];
}
function readSide(text) { // a number without a sign of equality
  const signs = plainSigns(text), percent = signs.endsWith("%");
  const plain = signs.replace(/%$/, "").trim().replace(SCIENTIFIC, "$1e$2");
  try {
    const [top, bottom] = new Calculation(plain).value(), decimal = DECIMAL.test(plain);
    const [digits, power = "0"] = plain.toLowerCase().split("e");
    const places = (digits.split(".")[1] ?? "").length - Number(power) + 2 * percent;
    const few = decimal && digits.replace(/[-+.]/g, "").replace(/^0+/, "").length < 2;
    return { value: [top, bottom * (percent ? 100n : 1n)], places: decimal ? Math.max(0, places) : Infinity, few };
  } catch {
    return null;
  }
}
function rounded([top, bottom], places) { // a number without its point
  const twice = 2n * top * 10n ** BigInt(places) + bottom, under = 2n * bottom, whole = twice / under;
  return twice % under < 0n ? whole - 1n : whole;
}

// --- typed text in its plain form: [form], or the complaint that it can't be read
const line = (text) => text.normalize("NFC").split(/\s+/).filter(Boolean).join(" ");
function piecesOf(text) {
  const typed = text.replace(/[<[(]unk[>\])]/gi, " \0 ").replaceAll("##", " ");
  return typed.split(/[\s|·+,\-[\]"'“”]+/).filter(Boolean);
}
const READ = {
  choice: (text) => [text],
  line: (text) => [line(narrow(text))],
  words: (text) => [line(narrow(text).toLowerCase())],
  number(text, { places: most, read }) {
    const number = readNumber(text);
    if (!number) return WORDS[read].replace("{answer}", () => `“${text.trim().slice(0, 40)}”`);
    const places = Math.min(number.places, most);
    return [`${places}:${rounded(number.value, places)}`];
  },
  count: (text, lock) => READ.number(text, lock),
  split(text, { whole }) {
    if (/^\W*unk\W*$/i.test(text)) return ["[UNK]"];
    const plain = narrow(text).trim(), small = plain.slice(0, 1).toLowerCase() + plain.slice(1); // a phone's capital
    const fits = (pieces) => {
      const [first, ...others] = pieces.join("").split("\0");
      return !whole || (others.length ? whole.startsWith(first) && whole.endsWith(others.at(-1)) : first === whole);
    };
    const ways = [text, plain, small].map(piecesOf), pieces = ways.find(fits) ?? ways.find((way) => way.includes("\0"));
    return pieces ? [pieces.join(" ").replaceAll("\0", "[UNK]")] : WORDS.split.replace("{word}", () => whole);
  },
};
function verdictOn(text, lock) {
  if (!text.trim()) return ["unread", WORDS.empty];
  if (text.length > WORDS.limit) {
    const message = WORDS.long.replace("{size}", text.length.toLocaleString("en"));
    return ["unread", message.replace("{limit}", WORDS.limit.toLocaleString("en"))];
  }
  const parsed = READ[lock.read](text, lock);
  if (typeof parsed === "string") return ["unread", parsed];
  const [plain] = parsed, hash = sha256(`${lock.salt}\n${plain}`).slice(0, HASH);
  if (lock.right.includes(hash)) return ["right", WORDS.right];
  if (lock.tied.includes(hash)) return ["tied", `${WORDS.tied} ${WORDS.as_good}`];
  return lock.close.includes(hash) ? ["unread", WORDS.digits] : ["wrong", WORDS.wrong];
}

// --- the page
const ORDER = ["unread", "wrong", "tied", "right"]; // the worst of an answer's boxes counts

class Task {
  solved = false;

  constructor(node) {
    this.name = node.id;
    this.form = node.querySelector("form");
    this.note = this.form.querySelector(".verdict");
    this.hint = this.form.querySelector(".hint");
    this.boxes = [...this.form.querySelectorAll('[name="answer"]')];
    this.locks = JSON.parse(this.form.querySelector("script").textContent);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.locks.length) this.check();
    });
  }
  judge() { // shows the verdict on the boxes; returns its kind
    const verdicts = this.locks.map((lock, index) => verdictOn(this.boxes[index].value, lock));
    const [kind, message] = [...verdicts].sort(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other))[0];
    const isInvalid = (one) => one === kind && (one === "wrong" || one === "unread"); // empty ones first: no try counts
    verdicts.forEach(([one], index) => { this.boxes[index].ariaInvalid = isInvalid(one); });
    Object.assign(this.note, { textContent: message, hidden: false, className: `note verdict ${kind}` });
    if (kind === "wrong" && this.hint.firstChild) this.hint.hidden = false;
    return kind;
  }
  check() {
    const kind = this.judge(), boxes = this.boxes.map(({ value }) => value);
    (this.hint.hidden ? this.note : this.hint).scrollIntoView({ block: "nearest" });
    if (kind === "unread") return;
    const detail = { name: this.name, kind, text: boxes.join(" | "), boxes };
    const counts = document.dispatchEvent(new CustomEvent("answered", { detail, cancelable: true }));
    this.solved ||= counts && kind === "right";
    count();
  }
  resume({ right, boxes }) { // as it was left
    this.solved = right;
    this.boxes.forEach((box, index) => { box.value = boxes[index] ?? ""; });
    if (right) Object.assign(this.note, { textContent: WORDS.right, hidden: false, className: "note verdict right" });
    else if (boxes.length) this.judge();
  }
}
const tasks = [...document.querySelectorAll(".task")].map((node) => new Task(node));

function count() {
  const tally = document.querySelector(".tally"), checked = tasks.filter(({ locks }) => locks.length);
  const solved = checked.filter((task) => task.solved).length;
  if (!tally || !checked.length) return;
  const form = new Intl.PluralRules(document.documentElement.lang).select(solved) === "one" ? "one" : "other";
  tally.textContent = WORDS[`solved_${form}`].replace("{number}", solved).replace("{all}", checked.length);
}
count();
document.addEventListener("resumed", ({ detail }) => { // in a learning platform: see scorm.js
  detail.forEach((state) => tasks.find(({ name }) => name === state.name)?.resume(state));
  count();
});
