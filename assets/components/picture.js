// Pictures of the page's stage, for slides: the step on the screen as SVG or PNG, or it and the next ones as an
// animated PNG. They are drawn here, from the stage itself with its styles and faces in it; nothing is asked of Python.

const SCALE = 2; // pixels of a picture for one on the screen: slides are large
const PAUSE = 1.2; // seconds of a step in an animation
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu; // characters not allowed in XML
const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const ALL = "U+0-10FFFF"; // the characters of a face without a list of its own
const ENDINGS = { png: ".png", svg: ".svg", apng: "-animation.png" }; // of the files, by button
const BUTTONS = Object.keys(ENDINGS);

// --- the stage as SVG
const dataUrls = new Map(); // of faces, by their address

async function dataUrl(address) {
  const blob = await (await fetch(address)).blob();
  return new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(blob);
  });
}
const nameOf = (family, range) => `${family.replace(/["']/g, "")} ${range}`.toLowerCase().replace(/\s+/g, "");

async function faces() { // the page's faces, with their data: a picture may ask nobody for anything
  const used = [...document.fonts].filter((face) => face.status === "loaded");
  const names = new Set(used.map((face) => nameOf(face.family, face.unicodeRange)));
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .filter(({ style: face }) => names.has(nameOf(face.fontFamily, face.getPropertyValue("unicode-range") || ALL)));
  return Promise.all(rules.map(async ({ cssText, parentStyleSheet }) => {
    const [whole, path] = /url\("?([^")]+)"?\)/.exec(cssText) ?? [];
    if (!path || path.startsWith("data:")) return cssText;
    const address = new URL(path, parentStyleSheet.href ?? document.baseURI).href;
    if (!dataUrls.has(address)) dataUrls.set(address, await dataUrl(address));
    return cssText.replace(whole, `url("${dataUrls.get(address)}")`);
  }));
}
async function svgOf(box) {
  const stage = box.querySelector(".stage"), { width, height } = stage.getBoundingClientRect();
  const root = box.getRootNode(), look = getComputedStyle(box);
  const book = make("div", { className: box.className }, stage.cloneNode(true));
  book.style.cssText = "border: 0; border-radius: 0; box-shadow: none";
  book.firstChild.style.cssText = `${stage.style.cssText}; border-top-color: transparent; height: ${height}px`;
  const style = make("style", { textContent: [...await faces(), ...root[STYLES].values()].join("\n") });
  const page = make("div", {}, style, book);
  page.style.cssText = `color-scheme: ${look.colorScheme}; --st-font: ${look.getPropertyValue("--st-font")}; `
    + `background: ${look.backgroundColor}; width: ${width}px; height: ${height}px; overflow: hidden`;
  const text = new XMLSerializer().serializeToString(page).replace(NO_XML, "\ufffd");
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`; // whole, or all of it would be stretched
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><foreignObject ${size}>${text}</foreignObject></svg>`;
}
async function pngOf(svg) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = make("canvas", { width: picture.width * SCALE, height: picture.height * SCALE });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// --- an animated PNG (PNG, third edition, 11.3.2: acTL, fcTL, fdAT) out of pictures of one size
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});
const crc = (bytes) => ~bytes.reduce((sum, byte) => (sum >>> 8) ^ TABLE[(sum ^ byte) & 255], -1);
const number = (value, size = 4) => Array.from({ length: size }, (_, i) => (value >>> (8 * (size - 1 - i))) & 255);

function chunk(name, ...parts) {
  const body = new Uint8Array(4 + parts.reduce((sum, part) => sum + part.length, 0));
  body.set([...name].map((letter) => letter.charCodeAt(0)));
  let offset = 4;
  for (const part of parts) { body.set(part, offset); offset += part.length; }
  return [Uint8Array.from(number(body.length - 4)), body, Uint8Array.from(number(crc(body)))];
}
function* chunksOf(bytes) { // name and data of each
  const view = new DataView(bytes.buffer);
  for (let offset = SIGNATURE.length; offset < bytes.length;) {
    const size = view.getUint32(offset), name = String.fromCharCode(...bytes.subarray(offset + 4, offset + 8));
    yield [name, bytes.subarray(offset + 8, offset + 8 + size)];
    offset += size + 12;
  }
}
async function animated(pictures, seconds) {
  const buffers = await Promise.all(pictures.map((blob) => blob.arrayBuffer()));
  const read = buffers.map((buffer) => [...chunksOf(new Uint8Array(buffer))]);
  const [[, header]] = read[0], size = header.subarray(0, 8);
  const pause = [...number(seconds * 1000, 2), ...number(1000, 2)];
  let turn = 0;
  const parts = read.flatMap((chunks, index) => [
    ...chunk("fcTL", number(turn++), size, number(0), number(0), pause, [0, 0]),
    ...chunks.filter(([name]) => name === "IDAT")
      .flatMap(([, data]) => (index ? chunk("fdAT", number(turn++), data) : chunk("IDAT", data))),
  ]);
  const start = [...chunk("IHDR", header), ...chunk("acTL", number(read.length), number(0))];
  return new Blob([Uint8Array.from(SIGNATURE), ...start, ...parts, ...chunk("IEND")], { type: "image/apng" });
}

// --- the buttons
class Picture extends Component {
  constructor(root) {
    const buttons = BUTTONS.map((kind) => `<button type="button" data-kind="${kind}"></button>`);
    super(root, "ts-picture", `${buttons.join("")}<p role="status"></p>`);
    this.box.role = "group";
    this.box.addEventListener("click", ({ target }) => {
      const { kind } = target.closest("button")?.dataset ?? {};
      if (kind && document[MAIN]?.isConnected) this.save(kind, document[MAIN]);
    });
  }
  receive({ title, page, steps, failed, ...labels }) {
    [this.page, this.steps, this.failed] = [page, steps, failed];
    this.box.ariaLabel = title;
    for (const kind of BUTTONS) this.part(`[data-kind="${kind}"]`).textContent = labels[kind];
  }
  async save(kind, box) {
    if (this.busy) return;
    this.busy = this.box.ariaBusy = true;
    this.part("p").textContent = "";
    try {
      const step = box.querySelector("input").value;
      hand(await this[kind](box), `${this.page}-step-${step}${ENDINGS[kind]}`);
    } catch (error) { // some browsers let no page read its own drawing, and a face comes from the server
      console.warn(error);
      this.part("p").textContent = this.failed;
    } finally {
      this.busy = this.box.ariaBusy = false;
    }
  }
  async svg(box) {
    return new Blob([await svgOf(box)], { type: "image/svg+xml" });
  }
  async png(box) {
    return pngOf(await svgOf(box));
  }
  async apng(box) { // the stage goes through the steps meanwhile, and back
    const range = box.querySelector("input"), first = Number(range.value), last = Number(range.max);
    const pictures = [];
    const go = (step) => box.dispatchEvent(new CustomEvent("tokensteps:go", { detail: { step } }));
    box.toggleAttribute("data-pictured", true); // nobody is led there
    try {
      for (let step = first; step <= last && pictures.length < this.steps; step++) {
        if (step > first) go(step);
        if (box.hasAttribute("data-stale")) break; // its frame isn't here yet
        box.querySelector(".stage").dataset.beat = 2;
        pictures.push(await pngOf(await svgOf(box)));
      }
    } finally {
      if (box.isConnected) go(first);
      box.toggleAttribute("data-pictured", false);
    }
    return animated(pictures, PAUSE);
  }
}

export default function picture({ data, parentElement: root }) {
  return mount(Picture, root, data);
}
