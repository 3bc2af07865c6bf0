/**
 * The editor: CodeMirror in a shadow root, where its style sheets are adopted and no style element is needed, which the
 * content policy forbids (docs/adr/0013-content-policy.md).
 */

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  completionStatus,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { fitting } from "./completion";
import { _ } from "../gettext";
import type { Word } from "./types";

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--blue)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--green)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--gold)" },
  { tag: tags.comment, color: "var(--ink-2)", fontStyle: "italic" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], fontWeight: "600" },
]);

const LOOK = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--ink)",
    backgroundColor: "var(--sheet)",
    fontSize: "var(--t-1)",
  },
  "&.cm-focused": { outline: "2px solid var(--blue)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", paddingBlock: "0.5rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--paper-2)", color: "var(--ink-2)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--blue-soft) 45%, transparent)" },
  ".cm-faulty": { backgroundColor: "var(--red-soft)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--blue-soft)",
  },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--sheet)",
    border: "1px solid var(--edge)",
    borderRadius: "var(--radius)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { color: "var(--ink)", backgroundColor: "var(--blue-soft)" },
  ".cm-completionInfo": { maxWidth: "22rem", padding: "0.4rem 0.6rem" },
});

const faultyLine = StateEffect.define<number | null>();
const faulty = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marked, { docChanged, effects, state }) {
    let now = docChanged ? Decoration.none : marked;
    for (const effect of effects) {
      if (!effect.is(faultyLine)) continue;
      const line = effect.value;
      const known = line !== null && line >= 1 && line <= state.doc.lines;
      now = known
        ? Decoration.set([Decoration.line({ class: "cm-faulty" }).range(state.doc.line(line).from)])
        : Decoration.none;
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function completed(words: () => readonly Word[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const found = fitting(words(), line.text.slice(0, context.pos - line.from), context.explicit);
    if (!found) return null;
    const options: Completion[] = found.words.map(({ word, detail, info, after }) => ({
      label: word,
      detail,
      info,
      type: after === "def " ? "method" : "property",
      apply: after === "def " && detail ? `${word}${detail}:` : word + found.close,
    }));
    return { from: line.from + found.from, options, validFor: /^\w*$/ };
  };
}

export interface Editor {
  text(): string;
  /** Replace the whole text, in one step that can be undone. */
  replace(text: string): void;
  /** Mark the line of an error; null for none. */
  mark(line: number | null): void;
  goTo(line: number): void;
  focus(): void;
  destroy(): void;
}

interface Options {
  text: string;
  words: () => readonly Word[];
  changed: (text: string) => void;
  /** Called when Escape is pressed and closes nothing: the reader leaves the editor. */
  leave: () => void;
  run: () => void;
}

/** Draw the editor into `place`. */
export function editor(place: HTMLElement, { text, words, changed, leave, run }: Options): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const keys = [
    { key: "Mod-Enter", run: () => (run(), true) },
    { key: "Tab", run: (view: EditorView) => acceptCompletion(view) || indentMore(view), shift: indentLess },
  ];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        python(),
        indentUnit.of("    "),
        syntaxHighlighting(COLOURS),
        autocompletion({ override: [completed(words)] }),
        faulty,
        keymap.of([...keys, ...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({
          tabindex: "0",
          "aria-label": _("The file of your bot, in Python. Tab indents. Escape leaves the editor."),
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
        LOOK,
      ],
    }),
  });
  // The viewer beside it has keys of a single letter, and hears what bubbles to the window.
  let completing = false;
  const before = (): void => {
    completing = completionStatus(view.state) === "active";
  };
  const onkeydown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === "Escape" && !completing) leave();
  };
  place.addEventListener("keydown", before, true);
  place.addEventListener("keydown", onkeydown);
  return {
    text: () => view.state.doc.toString(),
    replace(content) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: content } });
    },
    mark(line) {
      view.dispatch({ effects: faultyLine.of(line) });
    },
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy() {
      place.removeEventListener("keydown", before, true);
      place.removeEventListener("keydown", onkeydown);
      view.destroy();
    },
  };
}
