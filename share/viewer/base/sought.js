// SPDX-License-Identifier: Apache-2.0
// What a text that people search for asks of the server: words and fields as they are, a regular expression where it reads as one;
// and which fields there are.
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

/** Fields that rows have beside their attributes. */
const OWN = ['name', 'category', 'track', 'kind', 'dur', 'start', 'self', 'value']

/** Fields that people know, which stand first in a hint. */
const KNOWN = ['engine', 'opcode', 'layer', 'operator', 'hlo_op', 'stream', 'queue', 'source']

/** @param {{attributes: {key: string}[]}} profile */
export const fieldsOf = ({ attributes }) => [...OWN, ...attributes.map(one => one.key)]

/** How a field is searched, with fields that a profile has. @param {string[]} fields */
export function fieldsHint(fields) {
  const own = KNOWN.filter(key => fields.includes(key)).slice(0, 4)
  return ['name ~ part', 'dur > 1us', ...own.map(key => key + ' = …')].join(', ')
}

/** FIELD: VALUE, as other tools have it, asks for rows whose field has the value in it. @param {string} text @param {string[]} fields */
const withColons = (text, fields) =>
  text.includes('"')
    ? text
    : text.replace(/(^|\s)([\w.]+)\s*:(?!:)\s*(?=\S)/g, (all, before, field) =>
        fields.includes(field) ? before + field + '~' : all,
      )

/** A regular expression fits the whole name, or the short one that is shown. @param {string} typed @param {string[]} fields of the profile @returns {Sought} */
export function soughtOf(typed, fields) {
  const plain = typed.trim(),
    text = withColons(plain, fields)
  if (text !== plain) return { q: text, told: 'as ' + text }
  if (GRAMMAR.test(text) || !EXPRESSION.test(text)) return { q: text, told: '' }
  return isExpression(text)
    ? { q: `name~/${text}/ or shown_name~/${text}/`, told: 'as a regular expression' }
    : { q: quoted(text), told: 'as text: it is no regular expression' }
}
