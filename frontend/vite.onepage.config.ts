import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Builds the viewer as one script. `replays.export.single_file` puts it into a page that needs no server.
export default defineConfig({
  plugins: [svelte({ emitCss: false })], // each component adds its styles itself
  publicDir: false,
  build: {
    outDir: "dist/onepage",
    target: "es2022",
    lib: { entry: "src/onepage.ts", formats: ["iife"], name: "scorebook", fileName: () => "viewer.js" },
  },
});
