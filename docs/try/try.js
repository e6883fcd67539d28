// Asks for a CSV and its columns, and shows the report. Nothing is sent anywhere.
const at = (id) => document.getElementById(id);
const serve = "run make try, then python3 -m http.server -d docs/try, and open http://localhost:8000";
let worker, file, name, result, busy = false;

// start loads the program, and says what is missing if it cannot.
function start() {
  if (location.protocol === "file:") return say("This page needs a web server: " + serve, true);
  worker = new Worker("worker.js");
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (e) => { busy = false; say("The audit stopped: " + e.message, true); };
}

function ask(message) {
  busy = true;
  at("run").disabled = true;
  worker.postMessage(message);
}

function say(words, wrong) {
  at("state").textContent = words;
  at("state").className = wrong ? "wrong" : "";
}

function choose(columns) {
  const rows = columns.map((column) => {
    const row = at("row").content.cloneNode(true);
    row.querySelector("td").textContent = column;
    const role = row.querySelector("select");
    role.dataset.column = column;
    role.setAttribute("aria-label", "Role of " + column);
    role.value = guess(column);
    return row;
  });
  at("columns").replaceChildren(...rows);
  at("choice").hidden = false;
  const left = [...document.querySelectorAll("#columns select")].filter((role) => !role.value);
  if (!having("target").length && left.length === 1) left[0].value = "target";
  say(columns.length + " columns. Check what each one is.");
}

// A first guess, which the reader corrects.
function guess(column) {
  const n = column.toLowerCase();
  if (/^(y|y_true|target|labels?|class|answer|outcome|truth)$/.test(n)) return "target";
  if (/^(s\d*([_:].*)?|sensitive|sex|gender|race)$/.test(n)) return "sensitive";
  if (/^(score|logit|prob|p_?\d|pred_|output|y_score)/.test(n)) return "output";
  return "";
}

function having(role) {
  return [...document.querySelectorAll("#columns select")].filter((s) => s.value === role).map((s) => s.dataset.column);
}

async function open(chosen) {
  if (!chosen || busy || !worker) return;
  name = chosen.name;
  file = await chosen.arrayBuffer();
  at("report").hidden = at("choice").hidden = true;
  say("Reading " + name + " …");
  ask({ file });
}

function save(id, text, type, as) {
  URL.revokeObjectURL(at(id).href);
  at(id).href = URL.createObjectURL(new Blob([text], { type }));
  at(id).download = as;
}

function hear(data) {
  if (data.progress) return say(data.progress);
  if (data.missing) worker = null;
  busy = false;
  at("run").disabled = false;
  if (data.error || data.missing) return say(data.error || data.missing + " is missing: " + serve, true);
  if (data.columns) return choose(data.columns);
  say("Verdict: " + data.verdict);
  result = JSON.parse(data.json);
  at("page").srcdoc = data.html;
  save("html", data.html, "text/html", "report.html");
  save("json", data.json, "application/json", "report.json");
  at("report").hidden = false;
  at("report").scrollIntoView();
}

at("run").onclick = () => {
  const [target, sensitive, scores] = ["target", "sensitive", "output"].map(having);
  if (target.length !== 1) return say("Exactly one column must be the target.", true);
  if (!sensitive.length) return say("At least one column must be sensitive.", true);
  if (!scores.length) return say("At least one column must be an output.", true);
  say("Auditing …");
  ask({ file, request: { Name: name, Target: target[0], Sensitive: sensitive, Scores: scores, Seed: 1 } });
};
at("example").onclick = async () => {
  const answer = await fetch("scores.csv").catch(() => ({}));
  if (!answer.ok) return say("The example is missing: " + serve, true);
  open(new File([await answer.blob()], "scores.csv"));
};
at("file").onchange = (e) => open(e.target.files[0]);
for (const kind of ["dragover", "drop"])
  document.addEventListener(kind, (e) => { e.preventDefault(); if (kind === "drop") open(e.dataTransfer.files[0]); });
start();
