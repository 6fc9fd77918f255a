// SPDX-License-Identifier: Apache-2.0
// Files that people drop: how many profiles they are, and how they are sent.
import { ApiError, sentences } from '../base/api.js'
import { upload } from '../base/upload.js'
import { html, nothing } from '../lib/lit.js'
import { bytesText } from '../base/values.js'
import { dialog } from './dialogs.js'
import { base } from '../base/packed.js'

/** `act`: what to do about the error. @typedef {{name: string, part: number, error: string, act: {text: string, run: () => void} | null}} Upload */

/** Whether files are the ranks of one job by their names, which differ in their numbers alone. @param {File[]} files */
const areRanks = files => new Set(files.map(file => file.name.replace(/\d+/g, '#'))).size === 1

/** Several files are one profile, or one each; offered first is what a NEFF with its NTFF, and ranks of a job, mean. @param {File[]} files @returns {Promise<'one' | 'each' | null>} null: neither */
export function askHow(files) {
  if (files.length === 1) return Promise.resolve('each')
  const neuron =
    files.some(file => /\.neff$/i.test(file.name)) && files.some(file => /\.ntff$/i.test(file.name))
  const together = neuron || areRanks(files)
  return new Promise(resolve => {
    const shown = dialog(
      'Add ' + files.length + ' files',
      close => html`<ul>${files.map(file => html`<li>${file.name} <span class="muted">${bytesText(file.size)}</span></li>`)}</ul>
      <p class="acts"><button ?autofocus=${together} @click=${() => {
        resolve('one')
        close()
      }}>One profile of ${files.length} inputs</button><button ?autofocus=${!together} @click=${() => {
        resolve('each')
        close()
      }}>${files.length} profiles</button></p>`,
    )
    shown.box.addEventListener('close', () => resolve(null))
  })
}

/** What follows the sending: `progress` shows those that are under way or failed, `done` has the last profile that they became. @typedef {{progress: (now: Upload[]) => void, done: (profile: string) => void}} How */

/** Whether to send it once more may help: the connection was cut, or the disk was full. @param {unknown} error */
const isWorthAgain = error =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500)

/** Sends files. Of files that become one profile each those that were sent before one failed are there. @param {File[]} files @param {boolean} one of all together @param {How} how */
export async function send(files, one, how) {
  const all = files.map(
    file => /** @type {Upload} */ ({ name: file.name, part: 0, error: '', act: null }),
  )
  let last = '',
    joined = /** @type {string | undefined} */ (undefined)
  for (const [i, file] of files.entries()) {
    const set = (/** @type {Partial<Upload>} */ change) => {
      Object.assign(all[i], change)
      how.progress(all.filter(entry => entry.part < 1 || entry.error))
    }
    try {
      const end = !one || i === files.length - 1
      const answer = await upload(file, { with: joined, last: end ? 1 : 0 }, part =>
        set({ part: Math.min(part, 0.999) }),
      )
      if (one) joined = answer.upload
      if (answer.profile) last = answer.profile
      set({ part: 1 })
    } catch (error) {
      const again = () => {
          send(one ? files : files.slice(i), one, how)
        },
        leave = () => how.progress([])
      return set({
        error: sentences(/** @type {ApiError} */ (error)),
        act: isWorthAgain(error)
          ? { text: 'Send again', run: again }
          : { text: 'Dismiss', run: leave },
      })
    }
  }
  if (last) how.done(last)
}

/** @param {Upload[]} uploads */
export const uploadLines = uploads =>
  uploads.map(
    one =>
      html`<p class="upload">${one.name} ${one.error ? html`<span class="failed" role="alert">${one.error}</span> ${one.act ? html`<button @click=${one.act.run}>${one.act.text}</button>` : nothing}` : html`<progress max="100" value=${Math.round(one.part * 100)}></progress> ${Math.round(one.part * 100)} %`}</p>`,
  )

/** A NEFF that is dropped on the NTFF that lacks it becomes one profile with it, which is then opened. @param {File} file @param {string} id */
async function addNeff(file, id) {
  let text = 'Reading ' + file.name + ' with this profile…'
  const shown = dialog('Add ' + file.name, () => html`<p>${text}</p>`)
  try {
    const { profile } = await upload(file, { last: 1, beside: id }, () => {})
    location.href = base + '/profile/' + profile
  } catch (error) {
    text =
      /** @type {Error} */ (error).message +
      '. Drop both files on the list of profiles: they become one.'
    shown.draw()
  }
}

/** What was dropped on an open profile is read, and then opened or compared with it. @param {File[]} files @param {string} id @param {boolean} [wantsNeff] */
export async function addToProfile(files, id, wantsNeff = false) {
  if (wantsNeff && files.length === 1 && /\.neff$/i.test(files[0].name))
    return addNeff(files[0], id)
  const how = await askHow(files)
  if (!how) return
  /** @type {Upload[]} */
  let uploads = []
  let read = /** @type {string | null} */ (null)
  const shown = dialog(
    'Add ' + files.map(file => file.name).join(', '),
    () => html`${uploadLines(uploads)}
    ${read ? html`<p class="acts"><a class="button" href=${base + '/profile/' + read}>Open</a><a class="button" href=${base + '/compare?a=' + id + '&b=' + read}>Compare with this</a></p>` : ''}`,
  )
  await send(files, how === 'one', {
    progress: now => {
      uploads = now
      shown.draw()
    },
    done: profile => {
      read = profile
      shown.draw()
      shown.box.querySelector('a')?.focus()
    },
  })
}
