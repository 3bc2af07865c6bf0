import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The viewer as one script, which `replays.export.single_file` puts into a page that needs no server.
export default defineConfig({
  plugins: [svelte({ emitCss: false })], // the components bring their own styles
  publicDir: false,
  build: {
    outDir: "dist/onepage",
    target: "es2022",
    lib: { entry: "src/onepage.ts", formats: ["iife"], name: "scorebook", fileName: () => "viewer.js" },
  },
});
