/** The parts of Python and of the library that the worker needs, from our origin. No other page loads them. */

import { info } from "pyodide/pyodide-lock.json";
import pyodideUrl from "pyodide/pyodide.mjs?url&no-inline";
import asmUrl from "pyodide/pyodide.asm.mjs?url&no-inline";
import wasmUrl from "pyodide/pyodide.asm.wasm?url&no-inline";
import stdlibUrl from "pyodide/python_stdlib.zip?url&no-inline";
import { type Image, keptImage } from "./image";
import workerUrl from "./worker.js?url&no-inline";

export interface Parts {
  scripts: { pyodide: string; asm: string };
  worker: string;
  wasm: ArrayBuffer;
  stdlib: ArrayBuffer;
  wheels: ArrayBuffer[];
  /** The list of Pyodide's packages, of which the lab offers none. */
  lock: { info: typeof info; packages: Record<string, never> };
  language: string;
  /** The memory of a Python that was started from the same parts; null if there is none. */
  image: Image | null;
}

async function loaded(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} was answered with ${answer.status}.`);
  return answer;
}

const text = async (address: string): Promise<string> => (await loaded(address)).text();
const bytes = async (address: string): Promise<ArrayBuffer> => (await loaded(address)).arrayBuffer();

/** The parts, and what their image is kept by: the names of files, which hold hashes, and the hashes of the wheels. */
interface Loaded {
  parts: Parts;
  key: string;
}

/** Load all parts. `wheels` are the addresses of the library and of the kinds from other packages. */
export async function loadParts(wheels: readonly string[], language: string): Promise<Loaded> {
  const answers = Promise.all(wheels.map(loaded));
  const keyed = answers.then((all) => [wasmUrl, stdlibUrl, asmUrl, workerUrl, ...all.map(hashOf)].join(" "));
  const [pyodide, asm, worker, wasm, stdlib, archives, key, image] = await Promise.all([
    text(pyodideUrl),
    text(asmUrl),
    text(workerUrl),
    bytes(wasmUrl),
    bytes(stdlibUrl),
    answers.then((all) => Promise.all(all.map((answer) => answer.arrayBuffer()))),
    keyed,
    keyed.then(keptImage),
  ]);
  const parts = {
    scripts: { pyodide, asm },
    worker,
    wasm,
    stdlib,
    wheels: archives,
    lock: { info, packages: {} },
    language,
    image,
  };
  return { parts, key };
}

const hashOf = (answer: Response): string => `${answer.url} ${answer.headers.get("ETag") ?? ""}`;
