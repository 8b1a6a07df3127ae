export { EditorState, Annotation, Compartment, Transaction } from "@codemirror/state";
export { EditorView, ViewPlugin, Decoration, drawSelection, keymap, placeholder } from "@codemirror/view";
export { history, historyKeymap, standardKeymap } from "@codemirror/commands";
