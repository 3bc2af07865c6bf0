/** @type {import("stylelint").Config} */
export default {
  extends: ["stylelint-config-standard"],
  overrides: [{ files: "**/*.svelte", customSyntax: "postcss-html" }],
  rules: {
    // Layout is Prettier's; a blank line stands where the author wants one.
    "at-rule-empty-line-before": null,
    "comment-empty-line-before": null,
    "custom-property-empty-line-before": null,
    "declaration-empty-line-before": null,
    "rule-empty-line-before": null,
    // Rules stand by what they dress, not by how specific they are.
    "no-descending-specificity": null,
    "no-duplicate-selectors": null,
    // Django's forms name their fields `id_name`.
    "selector-id-pattern": null,
    // Svelte's own: what a component says of elements that another one draws.
    "selector-pseudo-class-no-unknown": [true, { ignorePseudoClasses: ["global"] }],
  },
};
