// SPDX-License-Identifier: Apache-2.0
// Commands and the keys that run them. The help page is made from the same list, so it cannot be wrong.

/**
 * @typedef {object} Command
 * @property {string} id
 * @property {string} title   one phrase, as the help and the command list show it
 * @property {string[]} keys  as KeyboardEvent.key says, with Shift+, Ctrl+, Alt+ before; letters are lower case
 * @property {string} group   heading in the help
 * @property {(event?: KeyboardEvent) => void} run
 */

/** Letters and digits are taken by their place, so that a Cyrillic or Dvorak layout keeps the places. @param {KeyboardEvent} event */
export function keyOf(event) {
  const place = /^(?:Key([A-Z])|Digit(\d))$/.exec(event.code)
  const typed = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const letter =
    place && (place[1] || !event.shiftKey) ? (place[1] ?? place[2]).toLowerCase() : typed
  const shift = event.shiftKey && (place || event.key.length > 1) ? 'Shift+' : ''
  return (
    (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + (event.altKey ? 'Alt+' : '') + shift + letter
  )
}

/** Typing belongs to the field, not to commands. @param {EventTarget | null} target */
export function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type))
  )
}

/** Enter presses what has the focus, where that can be pressed. @param {KeyboardEvent} event */
const isPress = event =>
  event.key === 'Enter' &&
  event.target instanceof Element &&
  event.target.matches('button, a[href], summary, [role=button]')

/** Runs commands by their keys until the answer is called. @param {() => Command[]} commands @returns {() => void} */
export function listen(commands) {
  /** @param {KeyboardEvent} event */
  const onKey = event => {
    if (
      event.defaultPrevented ||
      isTyping(event.target) ||
      isPress(event) ||
      document.querySelector('dialog[open], :popover-open')
    )
      return
    const key = keyOf(event)
    const found = commands().find(command => command.keys.includes(key))
    if (!found) return
    event.preventDefault()
    found.run(event)
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}
