// SPDX-License-Identifier: Apache-2.0
// CodeMirror as the widgets Code and SQL use it; it is loaded when one of them is first opened. The styles that it
// makes carry the nonce of the page.

/** @typedef {typeof import('../lib/codemirror.js')} CodeMirror */

/** @type {Promise<CodeMirror> | null} */
let loading = null

export const codemirror = () => (loading ??= import('../lib/codemirror.js'))

/** What both have: the nonce, colours of the theme, highlighting. @param {CodeMirror} cm */
export function basics(cm) {
  const nonce = document.querySelector('meta[name="nprof-nonce"]')?.getAttribute('content') ?? ''
  const { tags } = cm
  const style = cm.HighlightStyle.define([
    { tag: tags.keyword, color: 'var(--code-keyword)' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
    { tag: tags.comment, color: 'var(--ink3)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
    {
      tag: [tags.function(tags.variableName), tags.definition(tags.variableName)],
      color: 'var(--link)',
    },
  ])
  return [
    cm.EditorView.cspNonce.of(nonce),
    cm.syntaxHighlighting(style),
    cm.drawSelection(),
    cm.EditorView.theme({
      '&': { height: '100%', fontSize: '12.5px', background: 'var(--panel)', color: 'var(--ink)' },
      '.cm-scroller': { fontFamily: 'var(--mono)' },
      '.cm-content': { caretColor: 'var(--ink)' },
      '.cm-gutters': {
        background: 'var(--bg)',
        color: 'var(--ink3)',
        border: '0',
        userSelect: 'none',
      },
      '.cm-panels': { background: 'var(--bg)', color: 'var(--ink3)' },
      '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
      '.costs': {
        display: 'grid',
        gridTemplateColumns: 'var(--costs)',
        columnGap: '1.2ch',
        width: 'max-content',
        padding: '0 4px',
        textAlign: 'right',
        font: '11px var(--mono)',
        lineHeight: 'inherit',
        whiteSpace: 'nowrap',
      },
      '.cm-cost-head': { lineHeight: '20px' },
      '.cm-here': { background: 'var(--on)' },
      '.cm-activeLine': { background: 'transparent' },
    }),
  ]
}
