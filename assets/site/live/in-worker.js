// The worker of the page “Try”. The page has it as a function, too: from file://, where a browser runs no worker from a
// file, it makes one of the function's text.
globalThis.tokenstepsWorker = () => {
globalThis.importScripts = undefined; // or Pyodide, as soon as it is read, refuses a worker without modules
$script
};
if (!globalThis.document) tokenstepsWorker();
