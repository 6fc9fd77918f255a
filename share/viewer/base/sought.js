// SPDX-License-Identifier: Apache-2.0
// What a text that people search for asks of the server: words and fields as they are, a regular expression where it reads as one.
import { quoted } from './element.js'

/** `q` is in the grammar of searches; `told` says how the text was taken where that is not plain. @typedef {{q: string, told: string}} Sought */

/** Signs of the grammar: operators of fields, quotes, slashes, words that join conditions. */
const GRAMMAR = /["=~<>/]|(^|\s)(and|or|not)\s/
/** Signs of a regular expression. A dot alone is one of a name, and * or ? alone are a pattern. */
const EXPRESSION = /[\^$[(|\\]|\.[*+?]/

/** @param {string} text */
function isExpression(text) {
  try {
    return Boolean(new RegExp(text))
  } catch {
    return false
  }
}

/** @param {string} typed @returns {Sought} */
export function soughtOf(typed) {
  const text = typed.trim()
  if (GRAMMAR.test(text) || !EXPRESSION.test(text)) return { q: text, told: '' }
  return isExpression(text)
    ? { q: 'name~/' + text + '/', told: 'as a regular expression' }
    : { q: quoted(text), told: 'as text: it is no regular expression' }
}
