// SPDX-License-Identifier: Apache-2.0
// What was guessed, lost or skipped in a profile, such that figures may differ.
import { numberText } from './values.js'

/** Reasons for which members of a file's head are skipped, which no row and no figure needs: widget Problems has them. */
const OF_THE_HEAD = new Set(['no place for it', 'no fact has its key'])

/** Whether the decoder found no NEFF for an NTFF, and none is among the inputs. @param {Pick<Read, 'inputs'>} profile */
export const wantsNeff = ({ inputs }) =>
  inputs.some(one => one.properties?.wants === 'neff') &&
  !inputs.some(one => one.decoder === 'neff')

const NO_NEFF =
  'No NEFF beside it: names, tensors and layers are unknown. Add it: drop the .neff here'

/** What a page reads of a profile to say how sure it is. @typedef {{inputs: {decoder: string, properties?: Record<string, string>}[], warnings: string[], unclosed: number, lost: number, skipped: {what: string, count: string, reason: string}[]}} Read */

/** Whether a decoder states itself how sure it is of its format: that of NTFF does, but not of the vendor's JSON, which states names. @param {Pick<Read, 'inputs'>} profile */
const isTold = ({ inputs }) => inputs.some(one => one.properties?.notice)

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
          numberText(profile.lost) +
            (Number(profile.lost) === 1 ? ' row was lost' : ' rows were lost'),
        ]
      : []),
    ...profile.skipped
      .filter(one => !OF_THE_HEAD.has(one.reason))
      .map(one => numberText(one.count) + ' × ' + one.what + ': ' + one.reason),
    ...(told ? [] : profile.warnings),
  ]
}

/** One line of all: it says first how many there are, as its end may have no room. @param {string[]} doubts */
export const doubtsText = doubts =>
  (doubts.length > 1 ? doubts.length + ' things to know: ' : '') + doubts.join(' · ')
