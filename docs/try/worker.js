// Runs the audit beside the page, so that the page stays usable.
importScripts("wasm_exec.js");
const go = new Go();
const ready = fetch("tattle.wasm")
  .then((answer) => {
    if (!answer.ok) throw new Error("tattle.wasm is missing: run make try");
    return answer.arrayBuffer();
  })
  .then((bytes) => WebAssembly.instantiate(bytes, go.importObject))
  .then((program) => { go.run(program.instance); });

onmessage = async ({ data }) => {
  try {
    await ready;
    const file = new Uint8Array(data.file);
    const say = (words) => postMessage({ progress: words });
    const answer = data.request ? tattle.audit(file, JSON.stringify(data.request), say) : tattle.columns(file);
    postMessage(answer);
  } catch (e) {
    postMessage({ error: String(e.message || e) });
  }
};
