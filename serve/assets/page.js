// The keyboard of the list, and the count of what is marked. All of it can be
// done without: by Tab, by Enter and by the button.
"use strict";

const rows = [...document.querySelectorAll(".run")];
const boxes = () => [...document.querySelectorAll('#runs input[name="run"]')];
const filter = document.getElementById("q");
const form = document.getElementById("runs");
const order = []; // marked boxes, oldest first

// move goes to the next or previous run; focus stays on real links, so that Enter
// opens them as anywhere.
function move(by) {
  if (!rows.length) return;
  const at = rows.findIndex((r) => r.contains(document.activeElement));
  const to = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[to].querySelector(".open").focus();
  rows[to].scrollIntoView({ block: "nearest" });
}

function mark() {
  const row = rows.find((r) => r.contains(document.activeElement));
  if (!row) return;
  const box = row.querySelector('input[name="run"]');
  box.checked = !box.checked;
  box.dispatchEvent(new Event("change", { bubbles: true }));
}

// count keeps at most two marked, and says how many are.
function count(changed) {
  if (changed) {
    const at = order.indexOf(changed);
    if (at >= 0) order.splice(at, 1);
    if (changed.checked) order.push(changed);
  }
  while (order.length > 2) order.shift().checked = false;
  const n = boxes().filter((b) => b.checked).length;
  document.getElementById("marks").textContent = ["mark two runs", "one marked: mark another", "two marked"][Math.min(n, 2)];
  document.getElementById("compare").disabled = n !== 2;
}

function compare() {
  const button = document.getElementById("compare");
  if (button.disabled) button.nextElementSibling.textContent = "mark two runs first";
  else form.requestSubmit(button);
}

if (form && document.getElementById("compare")) {
  for (const b of boxes()) if (b.checked) order.push(b);
  count();
  form.addEventListener("change", (e) => count(e.target));
  // What is marked stays marked when the list is filtered, sorted or turned.
  document.getElementById("filter").addEventListener("submit", (e) => {
    for (const old of e.target.querySelectorAll('input[name="run"]')) old.remove();
    for (const b of boxes()) {
      if (!b.checked) continue;
      const kept = document.createElement("input");
      kept.type = "hidden"; kept.name = "run"; kept.value = b.value;
      e.target.append(kept);
    }
  });
  for (const a of document.querySelectorAll(".runs thead a, .pages a, .filter a, .empty a")) {
    a.addEventListener("click", () => {
      const to = new URL(a.href);
      to.searchParams.delete("run");
      for (const b of boxes()) if (b.checked) to.searchParams.append("run", b.value);
      a.href = to;
    });
  }
}

// Browsers keep our cookie back where a link from elsewhere led here, but not from
// ourselves: so the page that asks for the token tries once again.
const again = document.getElementById("again");
if (!again) sessionStorage.removeItem("again");
else if (!sessionStorage.getItem("again")) {
  sessionStorage.setItem("again", "once");
  location.replace(location.href);
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  const typing = e.target.matches("input:not([type=checkbox]), select, textarea");
  if (typing) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const keys = { j: () => move(1), k: () => move(-1) };
  if (rows.length) Object.assign(keys, { ArrowDown: keys.j, ArrowUp: keys.k, x: mark, c: compare });
  if (filter) keys["/"] = () => { filter.focus(); filter.select(); };
  const up = document.querySelector('[data-key="u"]');
  if (up) keys.u = () => up.click();
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});
