// SPDX-License-Identifier: Apache-2.0
// view-frames.mjs - what frames of the timeline cost while it is panned, zoomed and scrolled, and how soon the page answers a click,
// an area and a letter, by the trace of Chromium and the clock of the page.

export const quantile = (values, q) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * q)]

/** What is recorded of each frame, and of the threads that make it. */
const CATEGORIES = ['toplevel', 'cc'],
  FRAME = 'ProxyMain::BeginMainFrame',
  TASK = 'ThreadControllerImpl::RunTask'

/** Runs in the page: moves the timeline at each frame; how many bars each frame had. In turns: a pan, a zoom. */
function animate([kind, moves]) {
  const over = document.querySelector('.timeline .over'),
    scroll = document.querySelector('.timeline .scroll'),
    box = over.getBoundingClientRect(),
    middle = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }
  const bars = []
  const wheel = (zooms, deltaY) =>
    over.dispatchEvent(
      new WheelEvent('wheel', {
        cancelable: true,
        bubbles: true,
        ctrlKey: zooms,
        shiftKey: !zooms,
        deltaY,
        ...middle,
      }),
    )
  return new Promise(resolve => {
    let i = 0
    const step = () => {
      bars.push(
        Number(/([\d,]+) bars?/.exec(over.getAttribute('aria-label'))[1].replaceAll(',', '')),
      )
      if (i === moves) return resolve(bars.slice(1))
      const forth = i % 40 < 20
      if (kind === 'scroll') scroll.scrollTop += forth ? 24 : -24
      else if (kind === 'zoom' || (kind === 'turns' && i % 2)) wheel(true, forth ? -12 : 12)
      else wheel(false, kind === 'turns' ? (((i * 7) % 5) - 2) * 20 : forth ? 20 : -20)
      i++
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
}

/** CPU time of all processes of a browser, ms. */
async function cpuOf(browser) {
  const client = await browser.newBrowserCDPSession(),
    { processInfo } = await client.send('SystemInfo.getProcessInfo')
  await client.detach()
  return processInfo.reduce((sum, one) => sum + one.cpuTime * 1000, 0)
}

/** What the thread of the page did from the start of each frame to the next: ms of CPU, and by the clock. */
function framesIn(events) {
  const frames = events.filter(one => one.name === FRAME && one.ph === 'X'),
    threadOf = one => one.pid + '.' + one.tid,
    ofThread = thread => frames.filter(one => threadOf(one) === thread),
    [thread] = [...new Set(frames.map(threadOf))].sort(
      (a, b) => ofThread(b).length - ofThread(a).length,
    ),
    starts = ofThread(thread)
      .map(one => one.ts)
      .sort((a, b) => a - b),
    cpu = starts.map(() => 0),
    wall = starts.map(() => 0)
  let at = -1
  for (const task of events
    .filter(one => one.name === TASK && one.ph === 'X' && threadOf(one) === thread)
    .sort((a, b) => a.ts - b.ts)) {
    while (at + 1 < starts.length && starts[at + 1] <= task.ts + task.dur) at++
    if (at < 0) continue
    cpu[at] += (task.tdur ?? task.dur) / 1000
    wall[at] += task.dur / 1000
  }
  return { cpu: cpu.slice(1, -1), wall: wall.slice(1, -1) }
}

/** Waits until the page asked for nothing for half a second. @param {import('playwright-core').Page} page */
export async function calm(page) {
  let asked = performance.now()
  const onRequest = () => {
    asked = performance.now()
  }
  page.on('request', onRequest)
  page.on('requestfinished', onRequest)
  while (performance.now() - asked < 500) await page.waitForTimeout(100)
  page.off('request', onRequest)
  page.off('requestfinished', onRequest)
}

/** Frames of one kind of move. The timeline went the same way once before, so that no frame is measured that waits for an answer.
 * @param {import('playwright-core').Page} page */
async function framesOf(browser, page, kind, moves) {
  await page.evaluate(animate, [kind, moves / 2])
  await calm(page)
  await browser.startTracing(page, { categories: CATEGORIES })
  const before = await cpuOf(browser),
    bars = await page.evaluate(animate, [kind, moves]),
    all = ((await cpuOf(browser)) - before) / moves
  const { cpu, wall } = framesIn(JSON.parse(String(await browser.stopTracing())).traceEvents)
  return {
    frames: cpu.length,
    cpu: quantile(cpu, 0.95),
    wall: quantile(wall, 0.95),
    all,
    bars: [Math.min(...bars), Math.max(...bars)],
  }
}

/** @param {import('playwright-core').Page} page @param {string[]} kinds */
export async function frames(browser, page, kinds, moves = 200) {
  const found = {}
  for (const kind of kinds) found[kind] = await framesOf(browser, page, kind, moves)
  return found
}

/** Runs in the page: ms from an event until what it asks for is on the screen. */
function meet([kind, selector, text]) {
  window.met = new Promise(resolve => {
    const onEvent = () => {
      const began = performance.now()
      const observer = new MutationObserver(() => {
        if (!document.querySelector(selector)?.textContent.includes(text)) return
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
      })
      observer.observe(document.body, { childList: true, subtree: true, characterData: true })
    }
    window.addEventListener(kind, onEvent, { capture: true, once: true })
  })
}

/** @param {import('playwright-core').Page} page */
async function timed(page, wanted, act) {
  await page.evaluate(meet, wanted)
  await act()
  return page.evaluate(() => window.met)
}

/** Clicks on bars, areas that are dragged, and a word letter by letter, over a page that is at rest.
 * @param {import('playwright-core').Page} page @param {string} word */
export async function answers(page, word, times = 12) {
  const found = { click: [], area: [], find: [] },
    over = await page.locator('.timeline .over').boundingBox(),
    row = await page.locator('.timeline .row', { hasText: 'stream 7' }).first().boundingBox(),
    y = row.y + row.height / 2
  const leave = () => page.keyboard.press('Escape')
  for (let i = 0; i < times; i++) {
    const x = over.x + ((i + 0.5) / times) * over.width
    found.click.push(
      await timed(page, ['pointerup', '.widget-details .event-name', ''], () =>
        page.mouse.click(x, y),
      ),
    )
    await leave()
    await page.locator('.widget-details .event-name').waitFor({ state: 'detached' })
  }
  for (let i = 0; i < times; i++) {
    const x = over.x + ((i + 0.2) / times) * over.width
    await page.keyboard.down('Shift')
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 40, y + 4)
    found.area.push(
      await timed(page, ['pointerup', '.widget-details .part-bar', ''], () => page.mouse.up()),
    )
    await page.keyboard.up('Shift')
    await leave()
    await page.locator('.widget-details .part-bar').waitFor({ state: 'detached' })
  }
  await page.keyboard.press('/')
  for (const letter of word)
    found.find.push(
      await timed(page, ['input', '.command-list .found', 'hit'], () =>
        page.keyboard.press(letter),
      ),
    )
  await leave()
  return found
}
