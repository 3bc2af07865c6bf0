import { fileURLToPath } from "node:url";
import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist/", "node_modules/", "test-results/", "src/api.d.ts"] },
  js.configs.recommended,
  ts.configs.strict,
  ts.configs.stylistic,
  svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      eqeqeq: "error",
      // An observation is narrowed to a type: an interface is not a Record<string, unknown>.
      "@typescript-eslint/consistent-type-definitions": "off",
      "svelte/no-useless-mustaches": "off", // {" "} keeps a space that Prettier would wrap away
      // The TypeScript compiler already checks this.
      "no-undef": "off",
      "no-restricted-syntax": [
        "error",
        {
          selector: "TSAsExpression > TSAsExpression > TSUnknownKeyword",
          message: "Give the value its type where it comes in (src/api.d.ts), and narrow it there.",
        },
      ],
    },
  },
  {
    files: ["tests/**"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off", "@typescript-eslint/no-dynamic-delete": "off" },
  },
  {
    // Each file is one expression; tests/browser reads them, too.
    files: ["tests/browser/dragged.js", "tests/browser/faults.js"],
    rules: { "@typescript-eslint/no-unused-expressions": "off" },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: {
      parserOptions: { parser: ts.parser, tsconfigRootDir: fileURLToPath(new URL(".", import.meta.url)) },
    },
  },
);
