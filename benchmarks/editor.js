// In the playground's page: when what somebody did has been painted, and how long the page stood still meanwhile.
(() => {
  const COMPONENT = Symbol.for("tokensteps.component");
  const PREFIX = 300; // characters at the beginning that the chips have to spell
  const tasks = []; // of more than 50 ms, which is what browsers report: when they began, and how long they took
  let done; // when somebody last pressed a key or clicked
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: "longtask" });
  for (const name of ["keydown", "click"]) addEventListener(name, (event) => { done = event.timeStamp; }, true);

  const found = {};
  function part(selector) {
    if (!found[selector]?.box.isConnected)
      for (const { shadowRoot } of document.querySelectorAll("*"))
        if (shadowRoot?.querySelector(selector)) found[selector] = shadowRoot[COMPONENT];
    return found[selector];
  }
  const editor = () => part(".ts-editor"), chips = () => part(".ts-chips");
  const frame = () => new Promise(requestAnimationFrame);
  const painted = async () => { await frame(); await new Promise((go) => setTimeout(go)); return performance.now(); };
  const figure = () => chips().head.querySelectorAll("dl.counts dd")[1]?.textContent.replace(/\D/g, "");

  const conditions = {
    counts: ({ characters }) => figure() === characters,
    chips: ({ start }) => chips().runs.map(({ text }) => text).join("").startsWith(start),
    tokenizer: ({ page }) => chips().view.page !== page,
    selected: () => editor().view.state.selection.main.to === editor().view.state.doc.length,
  };
  let before;
  window.timing = {
    place(at) { // the caret
      const { view } = editor();
      view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) }, scrollIntoView: true });
      view.focus();
    },
    ready: () => Boolean(editor()?.view && chips()?.view.page),
    begin() {
      [done, tasks.length, before] = [undefined, 0, chips().view.page];
    },
    // Waits until all of `names` are true, each painted, and then until nothing has happened for a moment.
    async end(names) {
      while (done === undefined) await frame();
      await frame();
      const { text } = editor(), times = {};
      const told = { characters: String([...text].length), start: text.slice(0, PREFIX), page: before };
      while (names.some((name) => !(name in times)))
        for (const name of names)
          if (!(name in times) && (await frame(), conditions[name](told))) times[name] = (await painted()) - done;
      let page; // when it had followed
      for (let calm = performance.now(); performance.now() - calm < 400; await frame()) {
        const runs = document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning";
        if (runs || document.documentElement.hasAttribute("data-ts-typed")) calm = page = performance.now();
      }
      return { ...times, ...(page && { page: page - done }), freeze: Math.max(0, ...tasks.map(({ duration }) => duration)) };
    },
  };
})();
