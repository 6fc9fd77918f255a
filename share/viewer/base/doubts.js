// SPDX-License-Identifier: Apache-2.0
// What was guessed, lost or skipped in a profile, such that figures may differ.
import { numberText } from './values.js'

/** Reasons that change no figure that people read: of members of a file's head, and of less than a picosecond. Widget Problems has them. */
const HARMLESS = new Set([
  'no place for it',
  'no fact has its key',
  'the time was rounded to the nearest picosecond',
])

/** What was skipped for a reason, of all inputs together. @param {Read['skipped']} skipped @returns {string[]} */
function skippedOf(skipped) {
  /** @type {Map<string, bigint>} */
  const counts = new Map()
  for (const { what, count, reason } of skipped) {
    const text = what + ': ' + reason
    if (!HARMLESS.has(reason)) counts.set(text, (counts.get(text) ?? 0n) + BigInt(count))
  }
  return [...counts].map(([text, count]) => numberText(String(count)) + ' × ' + text)
}

/** Whether the decoder found no NEFF for an NTFF, and none is among the inputs. @param {Pick<Read, 'inputs'>} profile */
export const wantsNeff = ({ inputs }) =>
  inputs.some(one => one.properties.wants === 'neff') && !inputs.some(one => one.decoder === 'neff')

const NO_NEFF =
  'No NEFF beside it: names, tensors and layers are unknown. Add it: drop the .neff here'

/**
 * What a page reads of a profile to say how sure it is.
 * @typedef {Pick<import('./answers.d.ts').Profile, 'inputs' | 'warnings' | 'unclosed' | 'lost' |
 *   'skipped'>} Read
 */

/** Whether a decoder states itself how sure it is of its format: that of NTFF does, but not of the vendor's JSON, which states names. @param {Pick<Read, 'inputs'>} profile */
const isTold = ({ inputs }) => inputs.some(one => one.properties.notice)

/** @param {Read} profile @param {{certainty: string}} head @returns {string[]} */
export function doubtsOf(profile, head) {
  const told = isTold(profile)
  return [
    ...(told ? profile.warnings : []),
    ...(told && wantsNeff(profile) ? [NO_NEFF] : []),
    ...(head.certainty === 'structure' && !told
      ? [
          'This format is not published: decoded by its structure, some names are likely, not certain',
        ]
      : []),
    ...(profile.unclosed
      ? ['spans without an end in the file: ' + numberText(profile.unclosed)]
      : []),
    ...(profile.lost
      ? [
          'rows may be missing at ' +
            numberText(profile.lost) +
            (Number(profile.lost) === 1 ? ' place' : ' places'),
        ]
      : []),
    ...skippedOf(profile.skipped),
    ...(told ? [] : profile.warnings),
  ]
}

/** One line of all: it says first how many there are, as its end may have no room. @param {string[]} doubts */
export const doubtsText = doubts =>
  (doubts.length > 1 ? doubts.length + ' things to know: ' : '') + doubts.join(' · ')
