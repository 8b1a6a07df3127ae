// In a page of the app: when what somebody did has been painted.
(() => {
  const BOOK = ".ts-flipbook";
  let done; // when somebody last pressed a key or clicked
  for (const name of ["keydown", "click"]) addEventListener(name, (event) => { done = event.timeStamp; }, true);
  const frame = () => new Promise(requestAnimationFrame);
  const painted = async () => { await frame(); await new Promise((go) => setTimeout(go)); return performance.now(); };
  const all = (selector) => [...document.querySelectorAll(selector)].filter((node) => !node.closest("[data-stale=true], [data-waits], [hidden]"));
  const book = () =>
    [...document.querySelectorAll("*")].map((node) => node.shadowRoot?.querySelector(BOOK)).find(Boolean);
  const conditions = {
    tipping: (before) => all("table.tipping").some((node) => node.textContent !== before),
    link: (part) => all("[data-testid=stCode]").some((node) => node.textContent.includes(part)),
  };
  window.timing = {
    table: () => all("table.tipping")[0]?.textContent ?? "",
    begin() { done = undefined; },
    async until(name, given) { // milliseconds
      while (done === undefined || !conditions[name](given)) await frame();
      return (await painted()) - done;
    },
    async drag(counts) { // the count's slider, to each of them
      const slider = book().querySelector("input[type=range]"), times = [];
      for (const count of counts) {
        const start = performance.now();
        slider.value = count;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        times.push((await painted()) - start);
      }
      return times;
    },
  };
})();
