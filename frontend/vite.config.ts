import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Django finds the built files through the manifest; whitenoise serves them under the same base as every static file.
export default defineConfig({
  base: "/static/",
  plugins: [svelte()],
  publicDir: false,
  build: {
    outDir: "dist",
    manifest: "manifest.json",
    license: { fileName: "licences.md" }, // of what is bundled: Svelte's asks for it
    target: "es2022",
    rolldownOptions: {
      input: "src/replay.ts",
      output: {
        codeSplitting: {
          groups: [
            // In the entry, every chunk that loads another would import the entry (tests/built.test.ts).
            { name: "preload", test: /vite\/preload-helper/ },
            // What every board draws with: one file, not one for each component.
            { name: "parts", test: /src\/(boards\/parts|cards)\// },
          ],
        },
      },
    },
  },
});
