// SPDX-License-Identifier: Apache-2.0
// What a profile has none of, in one sentence with what to do: rows, or rows of devices.
import { html, nothing } from '../lib/lit.js'
import { tablesThere } from '../widgets/subjects.js'

/** @typedef {import('./profile.js').ProfilePage} ProfilePage */

const OF_DEVICES = new Set(['device', 'core', 'engine', 'queue'])

/** Whether work of a device is in the profile, by what analyzers say, or by its tracks. @param {ProfilePage} page */
const hasDevices = page =>
  tablesThere(page, ['devices']).length > 0 ||
  [...page.session.model.tracks.values()].some(track => OF_DEVICES.has(track.kind))

/** @param {string} text @param {string} button @param {() => void} run */
const line = (text, button, run) =>
  html`<p class="lacking">${text} <button @click=${run}>${button}</button></p>`

/** @param {ProfilePage} page */
export function lacking(page) {
  const { model, profile } = page.session
  if (!model.rows)
    return line(
      profile.skipped.length
        ? 'This profile has no rows: all that the file states was skipped.'
        : 'This profile has no rows: the file states no event.',
      'What was read',
      () => page.open('problems'),
    )
  return hasDevices(page)
    ? nothing
    : line(
        'No row of this profile is of a device: what is here ran on the host.',
        'Flame graph of the host',
        () => page.open('flame'),
      )
}
