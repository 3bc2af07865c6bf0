import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Django finds the built files through the manifest. Whitenoise serves them under the same base as all static files.
export default defineConfig({
  base: "/static/",
  plugins: [svelte({ compilerOptions: { runes: true } })],
  publicDir: false,
  build: {
    outDir: "dist",
    manifest: "manifest.json",
    license: { fileName: "licences.md" }, // of the bundled code: Svelte's licence requires it
    target: "es2022",
    rolldownOptions: {
      input: "src/replay.ts",
      output: {
        codeSplitting: {
          groups: [
            // If it were in the entry, each chunk that loads another would import the entry (tests/built.test.ts).
            { name: "preload", test: /vite\/preload-helper/ },
            // What every board uses: one file instead of one for each component.
            { name: "parts", test: /src\/(boards\/parts\/|cards\/(Badge|Marks|seats|Die))/ },
            { name: "cards", test: /src\/cards\// }, // not every board has cards
          ],
        },
      },
    },
  },
});
