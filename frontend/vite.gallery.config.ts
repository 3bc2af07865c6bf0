import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The gallery of boards for developers (`bin/dev gallery`). It is not part of the product.
export default defineConfig({
  root: "tests/gallery",
  plugins: [svelte({ configFile: false })],
  publicDir: false,
  build: {
    outDir: "../../../.local/gallery",
    emptyOutDir: true,
    chunkSizeWarningLimit: 2000, // the golden games
    target: "es2022",
    rolldownOptions: { input: ["tests/gallery/index.html", "tests/gallery/position.html"] },
  },
  preview: { host: "localhost", strictPort: true },
});
