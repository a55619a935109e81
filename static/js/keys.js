// Shortcuts: an element with data-key="f" is pressed, or a field focused, by that key;
// two signs, "g s", are pressed one after the other. j and k walk over [data-row].
(() => {
  "use strict";
  const PAIR = 1000; // milliseconds for the second key
  const single = document.documentElement.hasAttribute("data-keys");
  let first = "";
  let timer = 0;

  const typing = (element) => element.closest("input, textarea, select, [contenteditable]");
  const shown = (element) => element.offsetParent !== null || getComputedStyle(element).position === "fixed";
  const rows = () => [...document.querySelectorAll("[data-row]")].filter(shown);

  const press = (keys) => {
    const here = document.querySelector("[data-row]:focus-within") || document.querySelector("[data-row].selected");
    const found = [...document.querySelectorAll(`[data-key="${CSS.escape(keys)}"]`)];
    const element = found.find((each) => here?.contains(each)) || found.find((each) => shown(each) && each.closest("main")) || found.find(shown);
    if (!element) return false;
    if (element.matches("input, textarea, select")) { element.focus(); element.select?.(); }
    else element.click();
    return true;
  };

  // The list has only what does something on this page.
  const explain = () => {
    const dialog = document.getElementById("keys");
    const later = document.getElementById("row-tools")?.content;
    for (const term of dialog.querySelectorAll("[data-needs]")) {
      const has = document.querySelector(`main ${term.dataset.needs}`) || later?.querySelector(term.dataset.needs);
      term.hidden = term.nextElementSibling.hidden = !has;
    }
    dialog.showModal();
  };

  const walk = (step) => {
    const all = rows();
    if (!all.length) return;
    const current = all.findIndex((row) => row.classList.contains("current-row") || row.contains(document.activeElement));
    const next = all[Math.min(Math.max(current + step, 0), all.length - 1)];
    for (const row of all) row.classList.toggle("current-row", row === next);
    const target = next.matches("a, button, [tabindex]") ? next : next.querySelector("a, summary, button") || next;
    target.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };

  const fold = (kind) => {
    const all = [...document.querySelectorAll(`details[data-kind="${kind}"]`)];
    const open = !all.some((each) => each.open);
    for (const each of all) each.open = open;
  };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      const all = document.getElementById("search-all");
      if (shown(all)) { all.focus(); all.select(); event.preventDefault(); }
      else if (press("/")) event.preventDefault();
      return;
    }
    if (!single || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const key = event.key;
    clearTimeout(timer);
    const pair = first ? `${first} ${key}` : "";
    first = "";
    let done = true;
    if (pair && press(pair)) { /* gone there */ }
    else if (key === "g") { first = "g"; timer = setTimeout(() => { first = ""; }, PAIR); }
    else if (key === "?") explain();
    else if (key === "j") walk(1);
    else if (key === "k") walk(-1);
    else if (key === "t") fold("tool");
    else if (key === "r") fold("reasoning");
    else if (key === "o") document.activeElement.closest("[data-row]")?.querySelector("summary")?.click();
    else done = press(key);
    if (done) event.preventDefault();
  });
})();
