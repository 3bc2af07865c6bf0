/**
 * Runs Python. The page that is framed (static/js/lab-frame.js) starts this file from a blob, with an opaque origin and
 * a policy that allows no connection. So all that Pyodide would fetch comes with the first message.
 *
 * Messages to it: first the parts, then `{module}`, which is compiled meanwhile, then requests `{id, act, ask}`. From
 * it: `{image}`, if the parts have no image of Python's memory; then once `{ready}`, `{broken}`, or `{unusable}` if the
 * image is of no use; then for each request any number of `{id, news}` and one `{id, answer}`, or `{broken}` if Python
 * itself has failed.
 */

const FOLDER = "https://lab.invalid/"; // a name for what would be fetched; nothing is there
const MAX_MEMORY = 768 * 1024 * 1024; // bytes of the interpreter with all that runs in it; then MemoryError
const PAGE = 64 * 1024; // bytes of a page of WebAssembly's memory

/** The modules of the library by name, once it is there. */
let bridge;
/** The number of the request that is carried out step by step, or null. */
let running = null;
const LONG_ACTS = new Set(["series", "analyse"]);

self.onmessage = async ({ data }) => {
  const module = new Promise((resolve) => {
    self.onmessage = ({ data: compiled }) => resolve(compiled.module);
  });
  try {
    bridge = await start({ ...data, module });
    self.onmessage = ({ data: request }) => void answer(request);
    self.postMessage({ ready: true });
  } catch (error) {
    self.postMessage(data.image ? { unusable: true } : { broken: String(error) });
  }
};

/** Start Python from parts that are there already, and import the library; or continue from an image, with both. */
async function start({ scripts, module, stdlib, wheels, lock, language, image }) {
  const files = new Map([
    [`${FOLDER}python_stdlib.zip`, stdlib],
    [`${FOLDER}pyodide.asm.wasm`, new ArrayBuffer(0)],
  ]);
  self.fetch = (address) => {
    const content = files.get(String(address));
    return content ? Promise.resolve(new Response(content)) : Promise.reject(new Error("The lab has no network."));
  };
  WebAssembly.instantiateStreaming = async (_response, imports) => {
    const instance = await WebAssembly.instantiate(await module, imports);
    if (image) makeRoom(instance.exports.memory, image.memory.size);
    return { module: await module, instance };
  };
  limitMemory();
  const memory = image?.memory.arrayBuffer();
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    import(scripts.pyodide),
    import(scripts.asm),
  ]);
  let folder;
  const python = await loadPyodide({
    indexURL: FOLDER,
    createPyodideModule,
    lockFileContents: lock,
    packageBaseUrl: FOLDER,
    env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide" }, // the hash seed of the sandbox
    stdout: () => undefined, // a bot's own output is kept by the library
    stderr: () => undefined,
    fsInit: async (fs, { sitePackages }) => {
      folder = sitePackages;
      if (image) restore(fs, image.files);
    },
    ...(image ? { _loadSnapshot: memory } : { _makeSnapshot: true }),
  });
  if (!image) {
    for (const wheel of wheels) python.unpackArchive(wheel, "wheel", { extractDir: folder });
    python.pyimport("scorebook_games.lab.bridge").destroy();
    const made = new Blob([python.makeMemorySnapshot()]);
    self.postMessage({ image: { memory: made, files: [...filesBelow(python.FS, folder)] } });
  }
  const library = python.pyimport("scorebook_games.lab.bridge");
  library.use_language(language);
  return library;
}

/** Let the memory have at least `size` bytes. Pyodide does not, before it restores an image. */
function makeRoom(memory, size) {
  const lacking = size - memory.buffer.byteLength;
  if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE));
}

/** Yield the path and content of each file below a folder. */
function* filesBelow(fs, folder) {
  for (const name of fs.readdir(folder)) {
    const path = `${folder}/${name}`;
    if (name === "." || name === "..") continue;
    if (fs.isDir(fs.stat(path).mode)) yield* filesBelow(fs, path);
    else yield [path, fs.readFile(path)];
  }
}

function restore(fs, files) {
  for (const [path, content] of files) {
    fs.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    fs.writeFile(path, content);
  }
}

/** Refuse to grow WebAssembly's memory beyond the limit. Python then raises MemoryError. */
function limitMemory() {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE > MAX_MEMORY) throw new RangeError("The lab's memory is full.");
    return grow.call(this, pages);
  };
}

/** Carry out a request. Some are carried out step by step, and other requests come between. */
async function answer({ id, act, ask }) {
  const send = (news) => self.postMessage({ id, news });
  try {
    if (LONG_ACTS.has(act)) await goOn(act, id, ask, send);
    else if (act === "stop") running = null;
    else self.postMessage({ id, answer: bridge.ask(act, ask, send) });
  } catch (error) {
    self.postMessage({ id, broken: String(error) });
  }
}

async function goOn(act, id, ask, send) {
  const begun = bridge.begin(act, ask, send);
  if (typeof begun === "string") return self.postMessage({ id, answer: begun });
  running = id;
  for (;;) {
    const state = begun.step();
    const { over, refused } = JSON.parse(state);
    if (over || refused || running !== id) return self.postMessage({ id, answer: state });
    self.postMessage({ id, news: state });
    await new Promise((resolve) => setTimeout(resolve));
  }
}
