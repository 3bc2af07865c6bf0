/**
 * The tests: some run in Node, those of components in the Chromium that SCOREBOOK_CHROMIUM names. Nothing is
 * downloaded. Without a Chromium the tests of components are left out, and `bin/dev test` says so.
 */

import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

const chromium = process.env.SCOREBOOK_CHROMIUM;
const root = process.getuid?.() === 0;

// Modules are loaded once, not for each file: that took more than half of the time.
const plain = { plugins: [svelte()], test: { name: "plain", include: ["tests/*.test.ts"], isolate: false } };
const components = {
  plugins: [svelte()],
  publicDir: false as const,
  server: { fs: { allow: [fileURLToPath(new URL("..", import.meta.url))] } }, // the golden games
  optimizeDeps: {
    include: [
      "svelte",
      "svelte/motion",
      "svelte/reactivity",
      "svelte/internal/client",
      "svelte/internal/disclose-version",
      "axe-core",
    ],
  },
  test: {
    name: "components",
    include: ["tests/browser/*.test.ts"],
    isolate: false, // each test clears the page; modules are loaded once
    fileParallelism: false,
    testTimeout: 60_000, // for a machine with two other busy processes
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: { ...(chromium ? { executablePath: chromium } : {}), args: root ? ["--no-sandbox"] : [] },
        contextOptions: { reducedMotion: "reduce" as const },
      }),
      instances: [{ browser: "chromium" as const }],
    },
  },
};

export default defineConfig({ test: { projects: chromium ? [plain, components] : [plain] } });
