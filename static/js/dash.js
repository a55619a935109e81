// What every page does a little better with a script: copying, menus that close,
// toasts that go, errors of pieces that are seen. Nothing here is needed for a task.
(() => {
  "use strict";
  document.documentElement.classList.add("js");

  const CONFIRM = 10000; // a question that nobody answers falls back
  const TOAST = 8000;

  const copy = async (button) => {
    const text = button.dataset.copy === "" ? document.querySelector(button.dataset.copyFrom).textContent : button.dataset.copy;
    // Without TLS there is no clipboard API but on localhost.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else {
      const area = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.setAttribute("aria-label", "Copied");
    say("Copied");
  };

  const say = (text) => {
    const toast = document.createElement("div");
    toast.className = "toast";
    toast.dataset.passes = "";
    toast.append(Object.assign(document.createElement("div"), { textContent: text }));
    document.getElementById("toasts").append(toast);
    passes(toast);
  };

  const passes = (toast) => {
    const go = () => (toast.matches(":hover, :focus-within") ? setTimeout(go, 1000) : toast.remove());
    setTimeout(go, TOAST);
  };

  const failed = (text, request, again) => {
    const toast = document.getElementById("toast-error").content.firstElementChild.cloneNode(true);
    toast.querySelector("[data-text]").textContent = text;
    toast.querySelector("[data-request]").textContent = request ? `request ${request}` : "";
    toast.querySelector("[data-close]").addEventListener("click", () => toast.remove());
    const button = toast.querySelector("[data-again]");
    if (again) button.addEventListener("click", () => { toast.remove(); again(); });
    else button.remove();
    document.getElementById("toasts").append(toast);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
    for (const menu of document.querySelectorAll("details.menu[open]"))
      if (!menu.contains(event.target)) menu.open = false;
    if (event.target.closest("[data-select-all]"))
      for (const box of document.querySelectorAll("[data-select]")) box.checked = event.target.checked;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const open of document.querySelectorAll("details.menu[open], details.confirm[open]")) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  });

  // `toggle` does not bubble, but it can be caught on its way down.
  document.addEventListener("toggle", (event) => {
    const asked = event.target;
    if (asked.matches?.("details.confirm[open]"))
      setTimeout(() => { if (!asked.querySelector("form:focus-within, form:hover")) asked.open = false; }, CONFIRM);
  }, true);

  // A choice in a filter is sent at once; without a script its form has a button.
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-send-on-change]")) event.target.form.requestSubmit();
  });

  const watch = (root) => {
    for (const toast of root.querySelectorAll(".toast[data-passes]")) passes(toast);
  };
  watch(document);
  document.addEventListener("htmx:oobAfterSwap", (event) => watch(event.target));

  const again = (detail) => () => htmx.trigger(detail.elt, detail.requestConfig.triggeringEvent?.type || "click");
  document.addEventListener("htmx:responseError", ({ detail }) => {
    const text = detail.xhr.status === 503 ? "The database is busy. Try again in 2 s." : `This could not be done (${detail.xhr.status}). Nothing was changed.`;
    failed(text, detail.xhr.getResponseHeader("X-Request-Id"), detail.elt.hasAttribute("data-live") ? null : again(detail));
  });
  for (const name of ["htmx:sendError", "htmx:timeout"])
    document.addEventListener(name, ({ detail }) => {
      if (!detail.elt.hasAttribute("data-live")) failed("The server did not answer.", "", again(detail));
    });

  // What asks again and again stops while nobody looks.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt } = event.detail;
    if (!elt.hasAttribute("data-live")) return;
    // A calm one is not swapped from under a person who is busy in it.
    const busy = elt.dataset.live === "calm" && elt.querySelector("details[open], form:focus-within");
    if (document.hidden || busy) event.preventDefault();
  });
})();
