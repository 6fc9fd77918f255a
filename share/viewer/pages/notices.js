// SPDX-License-Identifier: Apache-2.0
// What is said above an open profile: that its server has ended, or what became of the profile meanwhile.
import { ApiError, get } from '../base/api.js'
import { followNews } from '../base/news.js'
import { html, nothing, signal } from '../lib/lit.js'

/** @typedef {import('../base/session.js').Session} Session */
/** What became of it: it is not on the server any more; it was read again, and what is seen is the reading before. @typedef {'' | 'gone' | 'again'} Fate */

/** @param {Session} session @returns {Promise<Fate>} */
async function fateOf(session) {
  try {
    const { gen } = await get('p/' + session.id)
    return gen && session.base !== 'p/' + session.id + '/' + gen ? 'again' : ''
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? 'gone' : ''
  }
}

/** Follows the server of a profile: what was asked in vain is asked again when it is there, sets that others save are seen. @param {Session} session @returns {() => unknown} a template */
export function noticesOf(session) {
  const ended = signal(false), fate = signal(/** @type {Fate} */ (''))
  followNews({
    onServer: there => {
      ended.value = !there
      if (!there) return
      session.tiles.again()
      document.dispatchEvent(new CustomEvent('nprof-back'))
    },
    onNews: async news => {
      const own = news?.filter(one => one.profile === session.id)
      if (own && !own.length) return
      document.dispatchEvent(new CustomEvent('nprof-kept'))
      fate.value = await fateOf(session)
    },
  })
  return () => (ended.value ? serverEnded : fate.value === 'gone' ? gone : fate.value === 'again' ? again : nothing)
}

export const serverEnded = html`<p class="banner" role="alert">The server has ended. What is on this page stays; start <code>nprof view</code> again and it goes on.</p>`

const gone = html`<p class="banner" role="alert">This profile is not on the server any more. What is on this page stays. <a class="button" href="/">All profiles</a></p>`

const again = html`<p class="banner" role="alert">This profile was read again since it was opened here. <button @click=${() => location.reload()}>Show it as it is now</button></p>`
