import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// Django finds the built files through the manifest; whitenoise serves them under the same base as every static file.
export default defineConfig({
  base: "/static/",
  plugins: [svelte()],
  publicDir: false,
  build: {
    outDir: "dist",
    manifest: "manifest.json",
    target: "es2022",
    rollupOptions: { input: "src/replay.ts" },
  },
  test: { include: ["tests/**/*.test.ts"] },
});
