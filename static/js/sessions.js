// How many rows are selected, and addresses without empty filters.
(() => {
  "use strict";
  const count = () => {
    const boxes = [...document.querySelectorAll("[data-select]")];
    const chosen = boxes.filter((box) => box.checked).length;
    const all = document.querySelector("[data-select-all]");
    const told = document.querySelector("[data-selected]");
    if (told) told.textContent = `${chosen} selected`;
    if (!all) return;
    all.checked = chosen > 0 && chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  };
  document.addEventListener("change", (event) => { if (event.target.matches("[data-select], [data-select-all]")) setTimeout(count); });
  document.addEventListener("htmx:afterSwap", count);
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (!detail.elt.hasAttribute("data-drop-empty")) return;
    for (const [name, value] of [...detail.formData.entries()]) if (value === "") detail.formData.delete(name);
  });
  count();
})();
