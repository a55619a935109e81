// "Copy JSON": the text is fetched when it is wanted, for it may be long.
(() => {
  "use strict";
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-copy-from-url]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const answer = await fetch(link.href, { credentials: "same-origin" });
    if (!answer.ok) { location.assign(link.href); return; }
    // Copied as any other text is: see dash.js.
    const button = Object.assign(document.createElement("button"), { type: "button", hidden: true });
    button.dataset.copy = await answer.text();
    link.after(button);
    button.click();
    button.remove();
  });
})();
