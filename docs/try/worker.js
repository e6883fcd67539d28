// Runs the audit beside the page, so that the page stays usable.
async function load() {
  let go;
  try {
    importScripts("wasm_exec.js");
    go = new Go();
  } catch {
    return postMessage({ missing: "wasm_exec.js" });
  }
  const answer = await fetch("tattle.wasm").catch(() => ({}));
  if (!answer.ok) return postMessage({ missing: "tattle.wasm" });
  go.run((await WebAssembly.instantiate(await answer.arrayBuffer(), go.importObject)).instance);
}
const ready = load();

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
