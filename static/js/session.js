// The page of a session: opens at the newest message, follows what is new without a
// jump, drawers on small screens, branch points by key.
(() => {
  "use strict";
  const root = document.documentElement;
  const pane = document.getElementById("transcript");
  const pill = document.getElementById("news");
  const said = document.getElementById("news-said");
  const NEAR = 120; // pixels from the end that still are at the end

  // The panes stand below a head whose height depends on its pills.
  const head = document.querySelector(".session-head");
  const measure = () => document.body.style.setProperty("--head", `${head.offsetHeight}px`);
  new ResizeObserver(measure).observe(head);
  measure();

  const atEnd = () => root.scrollHeight - window.innerHeight - window.scrollY < NEAR;
  const toEnd = () => window.scrollTo(0, root.scrollHeight);
  const [entry] = performance.getEntriesByType("navigation");
  if (!pane.hasAttribute("data-stay") && !location.hash && entry?.type === "navigate") toEnd();
  document.querySelector(".turn.selected")?.scrollIntoView({ block: "center" });
  document.querySelector(".rail-row.current")?.scrollIntoView({ block: "nearest" });

  // What is new
  let unseen = 0;
  let wasAtEnd = false;
  const clear = () => { unseen = 0; pill.hidden = true; };
  const tell = (count) => {
    unseen += count;
    const text = `${unseen} new message${unseen === 1 ? "" : "s"}`;
    pill.querySelector("span").textContent = text;
    pill.hidden = false;
    said.textContent = text;
  };
  pill.addEventListener("click", () => { toEnd(); clear(); });
  window.addEventListener("scroll", () => { if (unseen && atEnd()) clear(); }, { passive: true });

  let opened = [];
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.target.id === "live") wasAtEnd = atEnd();
  });
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    opened = [...detail.target.querySelectorAll("details")].map((each) => each.open);
  });
  document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
    const now = document.getElementById(detail.target.id)?.querySelectorAll("details") || [];
    opened.forEach((open, index) => { if (now[index]) now[index].open = open; });
    opened = [];
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const live = document.getElementById("live");
    const count = Number(live?.dataset.count || 0);
    if (!count) return;
    delete live.dataset.count;
    if (wasAtEnd) { toEnd(); said.textContent = `${count} new`; } else tell(count);
  });

  // Older rows come in above: what is read stays where it is.
  let kept = null;
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt.hasAttribute("data-older")) {
      const below = detail.elt.closest(".turn").nextElementSibling;
      kept = below && { below, top: below.getBoundingClientRect().top };
    }
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (!kept) return;
    window.scrollBy(0, kept.below.getBoundingClientRect().top - kept.top);
    kept = null;
  });

  // A message that is picked is shown by the inspector; the page stays.
  const pick = (row, href) => {
    for (const each of document.querySelectorAll(".turn.selected")) each.classList.remove("selected");
    row.classList.add("selected");
    equip(row);
    history.replaceState(null, "", href);
    htmx.ajax("GET", href.split("#")[0], { target: "#inspector-body", swap: "innerHTML" });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-pick]");
    if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
      event.preventDefault();
      pick(link.closest(".turn"), link.href);
    }
    const drawer = event.target.closest("[data-pane]");
    if (drawer) { event.preventDefault(); show(drawer.dataset.pane); }
    const step = event.target.closest("[data-branch]");
    if (step) branch(Number(step.dataset.branch));
  });
  // A row gets the rest of its tools when it is looked at: fifty of them are a good part
  // of the page. Without a script, what is behind "More" has them too.
  const tools = document.getElementById("row-tools");
  const equip = (row) => {
    const more = row?.querySelector(":scope > .turn-body > .turn-tools > .more");
    if (!more || more.previousElementSibling) return;
    const uid = encodeURIComponent(new URL(more.href).searchParams.get("msg"));
    const made = tools.content.cloneNode(true);
    for (const link of made.querySelectorAll("a"))
      link.setAttribute("href", link.getAttribute("href").replace("ROW-UID", uid).replace("ROW-NUMBER", row.id.slice(1)));
    more.before(made);
  };
  for (const kind of ["pointerover", "focusin"])
    document.addEventListener(kind, (event) => equip(event.target.closest?.(".turn")));

  // The link of a message is copied; before dash.js looks at it.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-link]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    link.dataset.copy = link.href;
  }, true);

  // What is done with a message opens below it.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-act]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    htmx.ajax("GET", link.getAttribute("href"), { target: link.closest(".turn-body").querySelector(".turn-act"), swap: "innerHTML" });
  });
  // A card that opened below a message is put away in place.
  document.addEventListener("click", (event) => {
    const away = event.target.closest("[data-put-away]");
    const place = away?.closest(".turn-act");
    if (!place) return;
    event.preventDefault();
    place.replaceChildren();
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.matches(".turn-act")) detail.target.querySelector("input:not([type=hidden]), a, button")?.focus();
  });

  // Drawers
  let opener = null;
  const show = (name) => {
    if (name) opener = document.activeElement;
    for (const each of document.querySelectorAll("[data-drawer]")) each.classList.toggle("open", each.dataset.drawer === name);
    for (const each of document.querySelectorAll(".bottom-bar [data-pane]"))
      each.toggleAttribute("aria-current", each.dataset.pane === name);
    if (name) document.querySelector(`[data-drawer="${name}"]`).focus({ preventScroll: true });
    else opener?.focus({ preventScroll: true });
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const card = event.target.closest(".turn-act");
    if (card) {
      card.closest(".turn").querySelector("a.at")?.focus({ preventScroll: true });
      card.replaceChildren();
    } else if (document.querySelector("[data-drawer].open")) show("");
  });

  // Branch points
  const branch = (step) => {
    const all = [...document.querySelectorAll("[data-chip]")];
    const middle = window.innerHeight / 2;
    const tops = all.map((each) => each.getBoundingClientRect().top);
    const next = step > 0 ? tops.findIndex((top) => top > middle + 8) : tops.findLastIndex((top) => top < middle - 40);
    if (next < 0) return;
    all[next].scrollIntoView({ block: "center" });
    all[next].querySelector("a")?.focus({ preventScroll: true });
  };
})();
