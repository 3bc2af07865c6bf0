// A class name says what the element is: at least four letters, or one of these words.
const SHORT =
  "ask bad bar big bot box btn day die dot fan go key log low me new now num off ok on out own red rim row run sm " +
  "sub sum tag ten up vh who why won";

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
    "selector-class-pattern": [
      `^(?=.{4,}$|(?:${SHORT.replaceAll(" ", "|")})$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$`,
      { message: "Name the class by what it is: kebab-case, four letters or a word of SHORT (stylelint.config.js)" },
    ],
    // Django's forms name their fields `id_name`.
    "selector-id-pattern": null,
    // Svelte's `:global` styles elements of other components.
    "selector-pseudo-class-no-unknown": [true, { ignorePseudoClasses: ["global"] }],
  },
};
