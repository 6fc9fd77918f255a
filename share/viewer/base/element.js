// SPDX-License-Identifier: Apache-2.0
// Small helpers for templates. A style attribute is forbidden by the CSP, so styles are set as properties.
import { Directive, directive, noChange, PartType } from '../lib/lit.js'

/** Of a field. @typedef {Event & {target: HTMLInputElement}} FieldEvent */
/** Of a list of choices. @typedef {Event & {target: HTMLSelectElement}} ChoiceEvent */

class Css extends Directive {
  /** @param {import('lit-html/directive.js').PartInfo} part */
  constructor(part) {
    super(part)
    if (part.type !== PartType.ELEMENT) throw new Error('css() belongs to an element')
  }

  /** @param {Record<string, string | number>} _values */
  render(_values) {
    return noChange
  }

  /**
   * @param {import('lit-html/directive.js').ElementPart & {element: ElementCSSInlineStyle}} part
   * @param {[Record<string, string | number>]} values
   */
  update(part, [values]) {
    for (const [key, value] of Object.entries(values))
      part.element.style.setProperty(key, String(value))
    return noChange
  }
}

/** `<div ${css({left: '3px'})}>` sets properties of the element's style. */
export const css = directive(Css)

/** Whether any of these is another than when that was asked last. @returns {(...now: unknown[]) => boolean} */
export function changes() {
  /** @type {unknown[]} */
  let known = []
  return (...now) => {
    const last = known
    known = now
    return now.some((one, i) => one !== last[i])
  }
}

/** @param {string} selector @param {ParentNode} [root] @returns {HTMLElement} */
export function need(selector, root = document) {
  const found = root.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error('The page has no ' + selector)
  return found
}

/** Creates an element with a class. @param {string} tag @param {string} [className] @returns {HTMLElement} */
export function make(tag, className = '') {
  const element = document.createElement(tag)
  if (className) element.className = className
  return element
}

/** Milliseconds for which a sentence is seen. */
const SEEN = 5000

/** Says a sentence to people who listen, and to those who look: it is seen for a while. @param {string} text */
export function say(text) {
  for (const line of document.querySelectorAll('[data-say], #status')) line.textContent = text
  document.querySelector('.profile-page #status')?.animate({ opacity: [1, 1, 0] }, SEEN)
}

/** A file for people to keep. @param {string} name @param {string} text @param {string} type */
export function download(name, text, type) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

/** Copies a text and says so. @param {string} text @param {string} what */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text)
    say('Copied ' + what + ': ' + text)
  } catch {
    window.prompt('Copy ' + what, text)
  }
}

/** A value of a search, with quotes around it. @param {string} text */
export const quoted = text => '"' + text.replaceAll('\\', '\\\\').replaceAll('"', '\\"') + '"'
