import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** The parts of the island that every page of a game uses. */
const EVERY_PAGE = new RegExp(
  [
    "vite/preload-helper|rolldown/runtime",
    "src/boards/(parts/|drawing)",
    "src/cards/(Badge|Marks|seats|Die)",
    "src/(words|later|fit|state|explained|elements)\\.ts",
    "src/views/Words",
  ].join("|"),
);

/** Svelte's code for pages that a server has drawn already. Ours draws data, so `hydrating` is always false. */
const unhydrated: Plugin = {
  name: "unhydrated",
  enforce: "pre",
  transform(code, id) {
    if (!/svelte\/src\/internal\/client\/dom\/hydration\.js$/.test(id)) return null;
    const [variable, assigned] = ["export let hydrating = false;", "\thydrating = value;"];
    if (!code.includes(variable) || !code.includes(assigned)) this.error("Svelte hydrates in another way.");
    return code.replace(variable, "export const hydrating = false;").replace(assigned, "");
  },
};

// Django finds the built files through the manifest. Whitenoise serves them under the same base as all static files.
export default defineConfig({
  base: "/static/",
  plugins: [unhydrated, svelte({ compilerOptions: { runes: true, discloseVersion: false } })],
  publicDir: false,
  build: {
    outDir: "dist",
    manifest: "manifest.json",
    license: { fileName: "licences.md" }, // of the bundled code: Svelte's licence requires it
    target: "es2022",
    rolldownOptions: {
      input: ["src/replay.ts", "src/lab/lab.ts"],
      output: {
        codeSplitting: {
          groups: [
            // What every page of the island uses: one file, which is compressed better than many. If the preload helper
            // were in the entry, each chunk that loads another would import the entry (tests/built.test.ts).
            {
              name: "parts",
              test: EVERY_PAGE,
            },
            { name: "cards", test: /src\/cards\// }, // not every board has cards
          ],
        },
      },
    },
  },
});
