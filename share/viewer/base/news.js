// SPDX-License-Identifier: Apache-2.0
// What becomes of profiles while a page is open: the page asks once a second while it is in sight. It notices that the
// server has ended, and that another one stands in its place, whose token it then takes, so that it can write again.
import { ApiError, get, renewToken } from './api.js'
import { isOneFile } from './packed.js'

/** @typedef {import('./answers.d.ts').Change} News */

const EVERY = 1000 // ms

/**
 * @param {{onServer: (there: boolean) => void, onNews: (news: News[] | null) => unknown}} take null: so much has happened that anything may have
 * @returns {{from: (seq: number) => void}} what was read at `seq` is no news
 */
export function followNews({ onServer, onNews }) {
  let since = 0,
    there = true,
    asking = false
  const ask = async () => {
    const { all, events, seq } = await get('changes', { since })
    if (!there) await renewToken()
    if (!there) onServer((there = true))
    since = seq
    if (all || events.length) await onNews(all ? null : events)
  }
  setInterval(async () => {
    if (isOneFile || document.hidden || asking) return
    asking = true
    await ask().catch(error => {
      if (there && error instanceof ApiError && error.status === 0) onServer((there = false))
    })
    asking = false
  }, EVERY)
  return {
    from: seq => {
      since = seq
    },
  }
}
