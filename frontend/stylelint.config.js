/** @type {import("stylelint").Config} */
export default {
  extends: ["stylelint-config-standard"],
  overrides: [{ files: "**/*.svelte", customSyntax: "postcss-html" }],
  rules: {
    // Prettier decides the layout; authors decide about blank lines.
    "at-rule-empty-line-before": null,
    "comment-empty-line-before": null,
    "custom-property-empty-line-before": null,
    "declaration-empty-line-before": null,
    "rule-empty-line-before": null,
    // Rules are ordered by subject, not by specificity.
    "no-descending-specificity": null,
    "no-duplicate-selectors": null,
    // Django's forms name their fields `id_name`.
    "selector-id-pattern": null,
    // Svelte's `:global` styles elements of other components.
    "selector-pseudo-class-no-unknown": [true, { ignorePseudoClasses: ["global"] }],
  },
};
