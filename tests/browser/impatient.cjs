"use strict";
// Playwright looks for what a test waits for after 20, 50, 100 and 100 milliseconds, and from then on twice a second: right for sites far
// away. Here an answer takes a fifth of a second, and a quarter of a second was lost each time. Node loads this before the driver
// (NODE_OPTIONS in conftest.py), and it looks every 100 ms instead: to find a button by its name takes the page
// 15 ms, so that looking more often costs a third of a processor for as long as a test waits.
const { prototype } = require("node:module");
const compile = prototype._compile;
prototype._compile = function (source, name, ...more) {
  if (name.endsWith("coreBundle.js"))
    source = source
      .replace("const backoffScale = [20, 50, 100, 100, 500];", "const backoffScale = [20, 50, 100];")
      .replace("const waitTime = [0, 20, 100, 100, 500];", "const waitTime = [0, 20, 50, 100];");
  return compile.call(this, source, name, ...more);
};
