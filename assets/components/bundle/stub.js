// Comes with every message: all else is in the script at this address, cached by the browser.
export default async (args) =>
  (await import(new URL("$address", document.baseURI))).draw("$name", $styles, args);
