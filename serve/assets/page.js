// Keys of the list. Without script, Tab and Enter do the same.
"use strict";

const rows = [...document.querySelectorAll(".run")];
const filter = document.getElementById("q");

// move focuses the link of the next or previous run, which Enter opens.
function move(by) {
  if (!rows.length) return;
  const at = rows.findIndex((r) => r.contains(document.activeElement));
  const to = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[to].querySelector(".open").focus();
  rows[to].scrollIntoView({ block: "nearest" });
}

// Browsers do not send our cookie if a link from another site led here, but do if our own
// page did: so the page that asks for the token loads itself again, once.
const again = document.getElementById("again");
if (!again) sessionStorage.removeItem("again");
else if (!sessionStorage.getItem("again")) {
  sessionStorage.setItem("again", "once");
  location.replace(location.href);
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  const typing = e.target.matches("input, select, textarea");
  if (typing) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const keys = { j: () => move(1), k: () => move(-1) };
  if (rows.length) Object.assign(keys, { ArrowDown: keys.j, ArrowUp: keys.k });
  if (filter) keys["/"] = () => { filter.focus(); filter.select(); };
  const up = document.querySelector('[data-key="u"]');
  if (up) keys.u = () => up.click();
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});
