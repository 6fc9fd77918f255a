// SPDX-License-Identifier: Apache-2.0
// The grammar of conditions, that of store/filter.h, for tables whose rows are all here:
// `MFU > 60 and not name~gemm`. tests/conditions.json has examples for both.

/** @typedef {{field: string, op: string, values: string[], regex: RegExp | null}} Term op: = ~ < <= > >=, != and !~ */
/** @typedef {{all: Tree[]} | {any: Tree[]} | Term} Tree without `not`, which terms have taken in */

export class ConditionError extends Error {
  /** @param {number} at character of the text @param {string} expected */
  constructor(at, expected) {
    super('at character ' + (at + 1) + ': expected ' + expected)
    this.at = at
  }
}

/** What an operator is below `not`. @type {Record<string, string>} */
const TURNED = {
  '=': '!=',
  '!=': '=',
  '~': '!~',
  '!~': '~',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}

/** Reads a text from a place on; each method moves the place behind what it took. */
class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text
    this.at = 0
    this.depth = 0
  }

  /** Takes what stands here; null: something else does. @param {RegExp} sticky */
  take(sticky) {
    sticky.lastIndex = this.at
    const found = sticky.exec(this.text)
    if (found) this.at += found[0].length
    return found
  }

  /** Whether `and` or `or` parts conditions here: in a value without quotes they are words as any other. @param {number} at */
  isConnective(at) {
    const connective = /(?:and|or)(?=[\s("])\s*(?:not(?=[\s("])|[("]|[^=!~<>]+[=!~<>])/y
    connective.lastIndex = at
    return connective.test(this.text)
  }

  /** @param {boolean} deny @returns {Tree} */
  any(deny) {
    const parts = [this.all(deny)]
    while (this.take(/or(?=[\s("])\s*/y)) parts.push(this.all(deny))
    return parts.length === 1 ? parts[0] : deny ? { all: parts } : { any: parts }
  }

  /** @param {boolean} deny @returns {Tree} */
  all(deny) {
    this.take(/\s*/y)
    const parts = [this.factor(deny)]
    while ((this.take(/\s*/y), this.take(/and(?=[\s("])\s*/y))) parts.push(this.factor(deny))
    return parts.length === 1 ? parts[0] : deny ? { any: parts } : { all: parts }
  }

  /** @param {boolean} deny @returns {Tree} */
  factor(deny) {
    while (this.take(/not(?=[\s("]|$)\s*/y)) deny = !deny
    if (this.at === this.text.length || this.text[this.at] === ')')
      throw new ConditionError(this.at, 'a condition')
    if (!this.take(/\(/y)) return this.term(deny)
    this.depth++
    const inner = this.any(deny)
    if (!this.take(/\)/y)) throw new ConditionError(this.at, 'a closing )')
    this.depth--
    return inner
  }

  /** @param {boolean} deny @returns {Term} */
  term(deny) {
    const from = this.at,
      name = this.take(/"((?:\\.|[^"\\])*)"\s*/y) ?? this.take(/([^=!~<>"]+)/y),
      op = name && this.take(/(!=|!~|>=|<=|==|=|~|>|<)\s*/y)?.[1].replace('==', '=')
    if (!name || !op) throw new ConditionError(from, 'FIELD OP VALUE')
    const at = this.at,
      regex = op.endsWith('~') ? this.take(/\/(?!\/)((?:\\.|[^/\\])+)\/(?=[\s)|]|$)/y) : null,
      values = regex ? [regex[1]] : this.values()
    if (/[<>]/.test(op) && (values.length > 1 || !values[0]))
      throw new ConditionError(at, 'one value, for it is compared by size')
    return {
      field: unquoted(name[1]).trim(),
      op: deny ? TURNED[op] : op,
      values,
      regex: regex && regexOf(regex[1], at),
    }
  }

  /** @returns {string[]} */
  values() {
    const values = []
    do {
      const quote = this.text[this.at],
        quoted = this.take(/(["'])((?:\\.|(?!\1)[^\\])*)\1/y)
      if (!quoted && (quote === '"' || quote === "'"))
        throw new ConditionError(this.at, 'a closing ' + quote)
      values.push(quoted ? unquoted(quoted[2], quote) : this.plain())
    } while (this.take(/\|/y))
    return values
  }

  /** Takes a value without quotes; its own parentheses are paired. */
  plain() {
    const from = this.at
    if (this.text[from - 1] === ' ' && this.isConnective(from)) return ''
    for (let own = 0; this.at < this.text.length && this.text[this.at] !== '|'; this.at++) {
      const letter = this.text[this.at]
      if (/[\s)]/.test(letter) && this.endsAt(this.at, own, this.at > from)) break
      own += letter === '(' ? 1 : letter === ')' && own ? -1 : 0
    }
    return this.text.slice(from, this.at)
  }

  /** Whether a value ends with the blanks that stand here. @param {number} at @param {number} own parentheses of the value that are open @param {boolean} begun */
  endsAt(at, own, begun) {
    const blanks = /\s*/y
    blanks.lastIndex = at
    blanks.exec(this.text)
    const rest = blanks.lastIndex
    return (
      rest === this.text.length ||
      (this.text[rest] === ')' && !own && this.depth > 0) ||
      (rest > at && begun && this.isConnective(rest))
    )
  }
}

/** @param {string} text @param {string} [quote] */
const unquoted = (text, quote = '"') =>
  text.replaceAll(/\\(["'\\])/g, (all, letter) =>
    letter === '\\' || letter === quote ? letter : all,
  )

/** Extended regular expressions of POSIX are those of JavaScript, but for what is refused. @param {string} source @param {number} at */
function regexOf(source, at) {
  try {
    if (/\\[1-9]/.test(source)) throw new SyntaxError('references back are not known here')
    return new RegExp(source, 'i')
  } catch (error) {
    throw new ConditionError(
      at,
      'a regular expression (' + /** @type {Error} */ (error).message + ')',
    )
  }
}

/** The conditions of a text; null: it has none. Throws a ConditionError where it is wrong. @param {string} text @returns {Tree | null} */
export function treeOf(text) {
  const reader = new Reader(text)
  reader.take(/\s*/y)
  if (reader.at === text.length) return null
  const tree = reader.any(false)
  if (reader.at < text.length) throw new ConditionError(reader.at, 'and, or, or the end')
  return tree
}

/** All terms of a tree. @param {Tree} tree @returns {Term[]} */
export const termsOf = tree =>
  'field' in tree ? [tree] : ('all' in tree ? tree.all : tree.any).flatMap(termsOf)

/** Whether a row fits; `fits` says it of one term. @param {Tree} tree @param {(term: Term) => boolean} fits @returns {boolean} */
export const holds = (tree, fits) =>
  'field' in tree
    ? fits(tree)
    : 'all' in tree
      ? tree.all.every(one => holds(one, fits))
      : tree.any.some(one => holds(one, fits))

/** A tree as text that reads as the same. @param {Tree} tree @param {(term: Term) => Term} [change] of each term @returns {string} */
export function textOf(tree, change = term => term) {
  if (!('field' in tree)) {
    const parts = ('all' in tree ? tree.all : tree.any).map(one => textOf(one, change))
    return '(' + parts.join('all' in tree ? ' and ' : ' or ') + ')'
  }
  const { field, op, values, regex } = change(tree)
  return [quoted(field), op, regex ? '/' + values[0] + '/' : values.map(quoted).join('|')].join(' ')
}

/** @param {string} text */
export const quoted = text => '"' + text.replaceAll(/["\\]/g, '\\$&') + '"'

/** Whether a text is like one of the values: it has it, is a glob of it, or matches; case does not count. @param {Term} term @param {string} text */
export function isLike({ values, regex }, text) {
  if (regex) return regex.test(text)
  return values.some(value =>
    /[*?]/.test(value)
      ? globOf(value).test(text)
      : text.toLowerCase().includes(value.toLowerCase()),
  )
}

/** @param {string} glob */
const globOf = glob =>
  new RegExp(
    '^' +
      glob
        .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.') +
      '$',
    'is',
  )
