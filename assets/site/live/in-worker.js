// The worker of the page “Try”. The page has it as a function, too: from file://, where a browser runs no worker from a
// file, it makes one of the function's text.
globalThis.tokenstepsWorker = () => {
$script
};
if (!globalThis.document) tokenstepsWorker();
