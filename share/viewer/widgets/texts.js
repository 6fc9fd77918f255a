// SPDX-License-Identifier: Apache-2.0
// Texts of sources that were dropped on the page: the server keeps them with the profile, by the number of the file.
import { get, write } from '../base/api.js'
import { say } from '../base/element.js'
import { setting } from '../base/session.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {{index: number, path: string, present: boolean}} Source of route sources */
/**
 * @typedef {{index: number, path: string, text: string, lines:
 *   import('../base/answers.d.ts').SourceLine[], isDropped: true}} Dropped as route source has one,
 *   without times
 */

/** Bytes of a text that the server takes. */
const MOST = 900_000

/** @param {Session} session @param {number} index @returns {`p/${string}/texts/${number}`} */
const placeOf = (session, index) => `p/${session.id}/texts/${index}`

/** Texts that are kept of files without one, by the number of the file. @param {Session} session @param {Source[]} files @returns {Promise<Map<number, Dropped>>} */
export async function keptTexts(session, files) {
  const lacking = files.filter(file => !file.present)
  if (!lacking.length) return new Map()
  const { items } = await get(`p/${session.id}/texts`).catch(() => ({ items: [] })),
    names = new Set(items.map(one => one.name)),
    texts = new Map()
  for (const { index, path } of lacking.filter(file => names.has(String(file.index)))) {
    const item = await get(placeOf(session, index)).catch(() => null)
    if (item?.data.path === path)
      texts.set(index, { index, path, text: item.data.text, lines: [], isDropped: true })
  }
  return texts
}

/** The name of a file without its folders. @param {string} path */
const nameOf = path => path.split(/[\\/]/).pop()

/** @param {Session} session @param {File} file @param {Source} source */
async function keep(session, file, { index, path }) {
  const place = placeOf(session, index),
    old = await get(place).catch(() => null)
  await write('PUT', place, { rev: old?.rev ?? null, data: { path, text: await file.text() } })
  setting(session, 'code.file', '').value = String(index)
  document.dispatchEvent(new CustomEvent('nprof-text'))
  say(file.name + ' is kept as the text of ' + path)
}

/** Keeps files that have the name of a source without a text, whatever folder it was recorded in; which of several is meant is not guessed. @param {Session} session @param {File[]} files @returns {Promise<File[]>} those that are no such text */
export async function takeSources(session, files) {
  const { files: sources } = await session
      .ask('sources', {})
      .catch(() => ({ files: /** @type {Source[]} */ ([]) })),
    rest = []
  for (const file of files) {
    const named = sources.filter(one => !one.present && nameOf(one.path) === file.name)
    if (!named.length) rest.push(file)
    else if (named.length > 1)
      say(
        file.name +
          ' may be ' +
          named.map(one => one.path).join(' or ') +
          ': nprof view --source DIR says which.',
      )
    else if (file.size > MOST)
      say(file.name + ' is larger than 900 kB: nprof view --source DIR takes up to 4 MB.')
    else await keep(session, file, named[0])
  }
  return rest
}
