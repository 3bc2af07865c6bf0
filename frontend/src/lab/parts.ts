/** The parts of Python and of the library that the worker needs, from our origin. No other page loads them. */

import { info } from "pyodide/pyodide-lock.json";
import pyodideUrl from "pyodide/pyodide.mjs?url&no-inline";
import asmUrl from "pyodide/pyodide.asm.mjs?url&no-inline";
import wasmUrl from "pyodide/pyodide.asm.wasm?url&no-inline";
import stdlibUrl from "pyodide/python_stdlib.zip?url&no-inline";
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
}

async function loaded(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} was answered with ${answer.status}.`);
  return answer;
}

const text = async (address: string): Promise<string> => (await loaded(address)).text();
const bytes = async (address: string): Promise<ArrayBuffer> => (await loaded(address)).arrayBuffer();

/** Load all parts. `wheels` are the addresses of the library and of the kinds from other packages. */
export async function loadParts(wheels: readonly string[], language: string): Promise<Parts> {
  const [pyodide, asm, worker, wasm, stdlib, ...archives] = await Promise.all([
    text(pyodideUrl),
    text(asmUrl),
    text(workerUrl),
    bytes(wasmUrl),
    bytes(stdlibUrl),
    ...wheels.map(bytes),
  ]);
  return {
    scripts: { pyodide, asm },
    worker,
    wasm,
    stdlib,
    wheels: archives,
    lock: { info, packages: {} },
    language,
  };
}
