// SPDX-License-Identifier: Apache-2.0
// view-paint.mjs - how soon the page of nprof view shows lanes of a stored profile in headless Chromium, and how its frames and its
// heap fare while a file of slices and one of 5,000 tracks are panned, zoomed and scrolled. Prints JSON.
// Environment: NPROF, NPROF_VIEWER_NPM, NPROF_BENCH_STORE, NPROF_BENCH_ID, NPROF_BENCH_SLICES, NPROF_BENCH_TRACKS.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { calm, frames } from './view-frames.mjs'

const {
  NPROF,
  NPROF_VIEWER_NPM,
  NPROF_BENCH_STORE: store,
  NPROF_BENCH_ID: id,
  NPROF_BENCH_SLICES: slices,
  NPROF_BENCH_TRACKS: tracks,
} = process.env
const { chromium } = createRequire(path.join(NPROF_VIEWER_NPM, 'package.json'))('playwright-core')

/** A server over a store, or over a file with a store beside it, and the address that it says. */
async function serve(file) {
  const server = spawn(
    NPROF,
    [
      'view',
      '--store',
      file ? file + '.store' : store,
      '--port',
      '0',
      '-q',
      ...(file ? [file] : []),
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  return {
    server,
    url: await new Promise(resolve =>
      server.stdout.once('data', data => resolve(/http:\S+/.exec(data)[0])),
    ),
  }
}

const { server, url: list } = await serve(),
  url = list + 'profile/' + id
const browser = await chromium.launch({
  executablePath: process.env.NPROF_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-precise-memory-info'],
})

/** Runs in the page: notes when lanes with bars are on the screen. What the timeline hands to its canvas has bars alone, and is looked at once, for reading
 * pixels back takes longer than painting them. */
function watch() {
  const put = CanvasRenderingContext2D.prototype.putImageData
  const barsIn = ({ data }) => {
    let n = 0
    for (let i = 3; i < data.length; i += 4) if (data[i]) n++
    return n
  }
  CanvasRenderingContext2D.prototype.putImageData = function (image, ...where) {
    put.call(this, image, ...where)
    if (image.width <= 400 || barsIn(image) <= 200) return
    CanvasRenderingContext2D.prototype.putImageData = put
    requestAnimationFrame(() => {
      window.paintedAt = performance.now()
    }) // the frame with it has been handed over
  }
}

async function paint() {
  const context = await browser.newContext({ viewport: { width: 2000, height: 1100 } }),
    page = await context.newPage()
  await page.addInitScript(watch)
  await page.waitForTimeout(1500) // Chromium loads parts of its own window
  await page.goto(url)
  await page.waitForFunction(() => window.paintedAt, undefined, { timeout: 60000 })
  return { page, context, ms: await page.evaluate(() => window.paintedAt) }
}

const BARS = 50000 // in each frame that is measured

/** Opens a file, with the whole height for its lanes. */
async function opened(url, height) {
  const page = await browser.newPage({ viewport: { width: 2000, height } })
  await page.goto(url)
  await page.locator('.timeline .row').first().waitFor({ timeout: 300000 })
  await page.keyboard.press('q') // a third, most of the height, none
  await page.keyboard.press('q')
  await calm(page)
  return page
}

/** Frames where each lane has a rectangle a pixel, all rows unfolded: calls of 20 us, a pixel is about as long. */
async function crowded(url) {
  const page = await opened(url, 1600)
  await page.keyboard.press('e')
  if (!(await page.locator('.tree .row[aria-expanded=true]').count()))
    await page.keyboard.press('e')
  await page.getByLabel('Search the whole profile').fill('@100ms..130ms')
  await page.keyboard.press('Enter')
  await calm(page)
  const { turns } = await frames(browser, page, ['turns'], 400),
    heap_mb = await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6)
  await page.close()
  if (turns.bars[0] < BARS)
    throw new Error('a frame has ' + turns.bars[0] + ' rectangles, fewer than ' + BARS)
  return { turns, heap_mb }
}

const painted = []
await (await paint()).context.close() // code caches
for (let i = 0; i < 5; i++) {
  const { context, ms } = await paint()
  painted.push(ms)
  await context.close()
}
server.kill('SIGINT')
const calls = await serve(slices),
  { turns, heap_mb } = await crowded(calls.url)
calls.server.kill('SIGINT')
const many = await serve(tracks),
  page = await opened(many.url, 1100),
  found = await frames(browser, page, ['pan', 'zoom', 'scroll'])
many.server.kill('SIGINT')
await browser.close()
console.log(JSON.stringify({ painted, heap_mb, calls: { turns }, tracks: found }))
