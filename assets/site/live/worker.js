
// The page “Try”, in its worker, after Pyodide and regexp.js: Pyodide runs the engine and the drawing. Every file comes
// with the page's first message, under gzip and base64; nobody else is asked for any, and the policy wouldn't let it.

const PLACE = "memory:///"; // an address of nobody's: requests to it are answered from `files`
const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0); // a WebAssembly module with nothing in it
let trials;

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
}
function opened(files, name) {
  const stream = new Response(bytesOf(files[name])).body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "Content-Type": "application/wasm" } });
}
async function start({ files, lock, language }) {
  globalThis.fetch = async (address) => opened(files, String(address).replace(PLACE, ""));
  const { createPyodideModule } = globalThis, settings = { indexURL: PLACE, lockFileContents: lock };
  const python = await globalThis.loadPyodide({ ...settings, createPyodideModule });
  python.unpackArchive(await opened(files, "tokensteps.zip").arrayBuffer(), "zip");
  trials = python.pyimport("tokensteps.site.live.trials").Trials(language, (done) => postMessage({ done }));
}
const isRefused = () => WebAssembly.compile(EMPTY).then(() => false, () => true); // by the host's policy
async function answer({ id, what, payload }) {
  try {
    if (what !== "start") {
      postMessage({ id, result: JSON.parse(trials.do(what, JSON.stringify(payload))) });
    } else if (await isRefused()) {
      postMessage({ id, result: { refused: true } });
    } else {
      await start(payload);
      postMessage({ id, result: {} });
      trials.warm_up(); // while the visitor reads
    }
  } catch (error) { // the page says that something went wrong, and the console has the error
    console.error(error);
    postMessage({ id, result: { failed: true } });
  }
}
let last = Promise.resolve();
onmessage = ({ data }) => { last = last.then(() => answer(data)); };
