// SPDX-License-Identifier: Apache-2.0
// What the widgets Code and SQL use of CodeMirror; it is loaded when one of them is first opened.
export { EditorState, StateEffect, StateField, RangeSet, Compartment } from '@codemirror/state'
export {
  EditorView,
  Decoration,
  GutterMarker,
  gutter,
  lineNumbers,
  highlightActiveLine,
  keymap,
  showPanel,
  drawSelection,
} from '@codemirror/view'
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
export { syntaxHighlighting, defaultHighlightStyle, HighlightStyle } from '@codemirror/language'
export { tags } from '@lezer/highlight'
export { search, searchKeymap } from '@codemirror/search'
export { python } from '@codemirror/lang-python'
export { cpp } from '@codemirror/lang-cpp'
export { sql, StandardSQL } from '@codemirror/lang-sql'
