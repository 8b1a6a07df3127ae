
// The page “Try”, in its worker, after regexp.js: Pyodide runs the engine and the drawing. Every file comes with the
// page's first message, under gzip and base64; nobody else is asked for any, and the policy wouldn't let it.

const PLACE = "memory:///"; // an address that is no one's: what is asked of it lies in `files`
let trials;

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
function opened(files, name) {
  const stream = new Response(bytesOf(files[name])).body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "Content-Type": "application/wasm" } });
}
const load = globalThis.importScripts;
globalThis.importScripts = undefined; // or Pyodide refuses to work in a worker that runs no modules
function run(script) {
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  load(address);
  URL.revokeObjectURL(address);
}
function scriptOf(module) { // from file://, a browser runs no module in a worker
  return module.replace("export default ", "globalThis.createPyodideModule = ").replaceAll("import.meta.url", '""');
}
async function start({ files, lock, language }) {
  globalThis.fetch = async (address) => opened(files, String(address).replace(PLACE, ""));
  const [loader, module] = await Promise.all(
    ["pyodide.js", "pyodide.asm.mjs"].map((name) => opened(files, name).text()),
  );
  run(loader);
  run(scriptOf(module));
  const python = await loadPyodide({ indexURL: PLACE, createPyodideModule, lockFileContents: lock });
  python.unpackArchive(await opened(files, "tokensteps.zip").arrayBuffer(), "zip");
  trials = python.pyimport("tokensteps.site.live.trials").Trials(language, (done) => postMessage({ done }));
}
async function answer({ id, what, given }) {
  try {
    if (what === "start") await start(given);
    postMessage({ id, told: what === "start" ? {} : JSON.parse(trials.do(what, JSON.stringify(given))) });
    if (what === "start") trials.warm_up(); // while the visitor reads
  } catch (error) { // the page says that something went wrong, and the console says what
    console.error(error);
    postMessage({ id, told: { failed: true } });
  }
}
let last = Promise.resolve();
onmessage = ({ data }) => { last = last.then(() => answer(data)); };
