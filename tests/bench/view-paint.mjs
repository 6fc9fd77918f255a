// SPDX-License-Identifier: Apache-2.0
// view-paint.mjs - how soon the page of nprof view shows lanes of a stored profile in headless Chromium, and how its frames and its
// heap fare while a file of slices is panned and zoomed. Prints JSON.
// Environment: NPROF, NPROF_VIEWER_NPM, NPROF_BENCH_STORE, NPROF_BENCH_ID, NPROF_BENCH_SLICES.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

const {
  NPROF,
  NPROF_VIEWER_NPM,
  NPROF_BENCH_STORE: store,
  NPROF_BENCH_ID: id,
  NPROF_BENCH_SLICES: slices,
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

/** Runs in the page: notes when lanes with coloured bars are on the screen. What the timeline hands to its canvas is looked at, once, for reading
 * pixels back takes longer than painting them. */
function watch() {
  const put = CanvasRenderingContext2D.prototype.putImageData
  const coloured = ({ data }) => {
    let n = 0
    for (let i = 0; i < data.length; i += 4)
      if (
        data[i + 3] &&
        Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) >
          40
      )
        n++
    return n
  }
  CanvasRenderingContext2D.prototype.putImageData = function (image, ...where) {
    put.call(this, image, ...where)
    if (image.width <= 400 || coloured(image) <= 200) return
    CanvasRenderingContext2D.prototype.putImageData = put
    requestAnimationFrame(() => {
      window.paintedAt = performance.now()
    }) // the frame with it has been handed over
  }
}

async function paint() {
  const context = await browser.newContext({ viewport: { width: 2000, height: 1100 } }),
    page = await context.newPage()
  await page.addInitScript(meter)
  await page.addInitScript(watch)
  await page.waitForTimeout(1500) // Chromium loads parts of its own window
  await page.goto(url)
  await page.waitForFunction(() => window.paintedAt, undefined, { timeout: 60000 })
  return { page, context, ms: await page.evaluate(() => window.paintedAt) }
}

/** Runs in the page, before it: notes what scripts take of each frame. */
function meter() {
  window.scripts = []
  const original = window.requestAnimationFrame.bind(window)
  window.requestAnimationFrame = run =>
    original(now => {
      const began = performance.now()
      run(now)
      const spent = performance.now() - began,
        last = window.scripts.at(-1)
      if (last && last.now === now) last.ms += spent
      else window.scripts.push({ now, ms: spent })
    })
}

const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.floor(values.length * q)]

const BARS = 50000 // in each frame that is measured

/** Goes to where each lane has a rectangle a pixel, all rows unfolded: calls of 20 us, a pixel is about as long. @param {import('playwright-core').Page} page */
async function crowd(page) {
  await page.locator('.timeline .row').first().waitFor({ timeout: 60000 })
  for (const key of ['2', 'e']) await page.keyboard.press(key)
  if (!(await page.locator('.tree .row[aria-expanded=true]').count()))
    await page.keyboard.press('e')
  await page.getByLabel('Search the whole profile').fill('@100ms..130ms')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() =>
    document.querySelector('.foot')?.textContent?.includes('/answer'),
  )
}

/** Runs in the page: moves the window or changes its width at each frame; the times of frames, and how many bars each had. What it asks of the
 * server comes meanwhile, where it is not there yet. */
function animate(moves) {
  const over = document.querySelector('.timeline .over'),
    box = over.getBoundingClientRect(),
    middle = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }
  const frames = [],
    bars = []
  window.scripts.length = 0
  return new Promise(resolve => {
    let last = performance.now(),
      i = 0
    const step = now => {
      frames.push(now - last)
      last = now
      bars.push(
        Number(/([\d,]+) bars/.exec(over.getAttribute('aria-label'))[1].replaceAll(',', '')),
      )
      if (i === moves)
        return resolve({
          frames: frames.slice(1),
          bars: bars.slice(1),
          scripts: window.scripts.map(one => one.ms),
        })
      const zooms = i % 2 === 1
      over.dispatchEvent(
        new WheelEvent('wheel', {
          cancelable: true,
          ctrlKey: zooms,
          shiftKey: !zooms,
          deltaY: zooms ? (i % 40 < 20 ? -12 : 12) : (((i * 7) % 5) - 2) * 20,
          ...middle,
        }),
      )
      i++
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
}

/** Frames while the window moves and changes its width, in turns. It went the same way once before, so that no frame is measured that waits for an
 * answer, and paints fewer bars in its stead. */
async function move(page) {
  await crowd(page)
  await page.evaluate(animate, 40)
  await page.waitForFunction(() => /\/answer/.test(document.querySelector('.foot').textContent))
  await page.waitForTimeout(500) // names
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpu = async () =>
    (await client.send('Performance.getMetrics')).metrics.find(one => one.name === 'TaskDuration')
      .value * 1000
  const before = await cpu(),
    { frames, scripts, bars } = await page.evaluate(animate, 400),
    cpu_ms = ((await cpu()) - before) / frames.length
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6)
  const least = Math.min(...bars)
  if (least < BARS) throw new Error('a frame has ' + least + ' rectangles, fewer than ' + BARS)
  return {
    frames: frames.length,
    frame_p95: quantile(frames, 0.95),
    script_p95: quantile(scripts, 0.95),
    cpu_ms,
    bars: least,
    bars_most: Math.max(...bars),
    heap_mb: heap,
  }
}

const painted = []
await (await paint()).context.close() // code caches
for (let i = 0; i < 5; i++) {
  const { context, ms } = await paint()
  painted.push(ms)
  await context.close()
}
server.kill('SIGINT')
const crowded = await serve(slices)
const page = await browser.newPage({ viewport: { width: 2000, height: 1300 } })
await page.addInitScript(meter)
await page.goto(crowded.url)
const result = await move(page)
crowded.server.kill('SIGINT')
await browser.close()
console.log(JSON.stringify({ painted, ...result }))
