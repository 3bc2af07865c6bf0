/** Tests the files that `npm run build` made, as the manifest lists them. */

import { expect, test } from "vitest";

interface Chunk {
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}

const found = import.meta.glob<Record<string, Chunk>>("../dist/manifest.json", { eager: true, import: "default" });
const chunks = Object.values(found)[0] ?? {};

test("no chunk imports an entry, which would run a second time", () => {
  expect(Object.values(chunks).filter((chunk) => chunk.isEntry)).toHaveLength(2);
  const importing = Object.entries(chunks).filter(([, { imports = [], dynamicImports = [] }]) =>
    [...imports, ...dynamicImports].some((name) => chunks[name]?.isEntry),
  );
  expect(importing.map(([name]) => name)).toEqual([]);
});
