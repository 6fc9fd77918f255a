// SPDX-License-Identifier: Apache-2.0
// What can be asked where people search: verbs do what the list says of them, and a text that is none is searched for.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { ask, drag, drawn, hold, openProfile, put, suite, until, windowOf } from './harness.mjs'
import { SLOWEST, torchTrace } from './torch.mjs'

const view = suite(() => [put('ask.pt.trace.json', torchTrace(4, 20))], 'ask')
const box = page => page.getByLabel('Search the whole profile'),
  offered = page => page.locator('.command-list [role=option]'),
  head = page => page.locator('.widget-details h2').first()

/** The longest kernel, and the longest pause of the one stream between two of them, straight from the trace, us. */
function made() {
  const kernels = torchTrace(4, 20)
    .traceEvents.filter(one => one.cat === 'kernel')
    .sort((a, b) => a.ts - b.ts)
  const slowest = kernels.reduce((most, one) => (one.dur > most.dur ? one : most))
  return { kernels, slowest }
}

view.test('the empty box lists what can be asked, and what each does now', async () => {
  const page = await openProfile(view.url)
  await page.locator('.figure-list button b').waitFor()
  await page.keyboard.press('/')
  await offered(page).first().waitFor()
  const all = await offered(page).allTextContents()
  assert.deepEqual(
    all.map(text => /^(export window|\S+)/.exec(text)[1]),
    ['gap', 'slowest', 'why', 'measure', 'export window', 'compare', '@', '>', ':'],
  )
  const [gap] = await page.locator('.figure-list button b').allTextContents()
  assert.ok(all[0].replace(/\s/g, ' ').includes(gap), all[0])
  // Nothing is chosen before somebody does; then arrows choose, and the box says so.
  assert.equal(await offered(page).and(page.locator('[aria-selected=true]')).count(), 0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  const now = await box(page).getAttribute('aria-activedescendant')
  assert.match(await page.locator('#' + now).textContent(), /^gap /)
  await page.keyboard.press('Enter')
  await head(page).getByText(/^Idle/).waitFor()
  assert.equal(await offered(page).count(), 0)
})

/** How many pixels of bars are faint, as those are that are dimmed. */
const faintOf = page =>
  page.locator('.timeline .bars').evaluate(canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let faint = 0
    for (let i = 3; i < data.length; i += 4) if (data[i] > 40 && data[i] < 90) faint++
    return faint
  })

view.test(
  'what is typed dims the bars of all other names, while the box has the focus',
  async () => {
    const page = await openProfile(view.url),
      before = await faintOf(page)
    await box(page).fill(SLOWEST)
    await until('others are dimmed', async () => (await faintOf(page)) > before + 1000)
    await page.keyboard.press('Escape')
    await until('none is dimmed', async () => (await faintOf(page)) === before)
    // Nothing found dims nothing.
    await box(page).fill('nobody has this name')
    await page.locator('.search-box', { hasText: '0 names' }).waitFor()
    assert.equal(await faintOf(page), before)
  },
)

view.test(
  'Esc closes the list, then leaves the search that was sent, then drops what is selected',
  async () => {
    const page = await openProfile(view.url),
      hits = page.locator('.hits'),
      name = page.locator('.event-name')
    for (const within of [true, false]) {
      await box(page).fill(SLOWEST)
      await page.keyboard.press('Enter')
      await hits.waitFor()
      await name.filter({ hasText: SLOWEST }).waitFor()
      if (!within) await page.locator('.timeline .over').focus()
      else {
        await page.keyboard.type('and more')
        await page.keyboard.press('Escape')
        assert.equal(await box(page).inputValue(), SLOWEST)
        assert.equal(await hits.count(), 1)
      }
      await page.keyboard.press('Escape')
      await hits.waitFor({ state: 'detached' })
      assert.equal(await box(page).inputValue(), '')
      await until('an address without it', () => !/[?&]q=/.test(page.url()))
      assert.equal(await name.count(), 1)
      await page.keyboard.press('Escape')
      await name.waitFor({ state: 'detached' })
    }
  },
)

view.test('slowest NAME selects the longest call of a name, by a part of it', async () => {
  const { slowest } = made(),
    page = await openProfile(view.url)
  assert.equal(slowest.name, SLOWEST)
  await box(page).fill('slowest ' + SLOWEST.slice(2))
  assert.match(await offered(page).first().textContent(), /^slowest ash_bwd/)
  await page.keyboard.press('Enter')
  await page.locator('.event-name', { hasText: SLOWEST }).waitFor()
  await page
    .locator('.widget-details dd', { hasText: slowest.dur * 1000 + ' ns' })
    .or(
      page.locator('.widget-details dd', {
        hasText: (slowest.dur * 1000).toLocaleString('en') + ' ns',
      }),
    )
    .first()
    .waitFor()
  await box(page).fill('slowest nothing of the kind')
  await page.keyboard.press('Enter')
  await until('that there is none', async () =>
    /No call there has a name/.test(await page.locator('[data-say]').first().textContent()),
  )
})

view.test(
  'verbs are taken in the words that people type, and other words are searched',
  async () => {
    const page = await openProfile(view.url),
      first = async text => {
        await box(page).fill(text)
        await until('what it offers', async () => (await box(page).inputValue()) === text)
        await drawn(page)
        const taken = page.locator('#asks [aria-selected=true]')
        return (await taken.count()) ? (await taken.textContent()).trim() : ''
      }
    await box(page).focus()
    await offered(page).first().waitFor()
    for (const [texts, verb] of [
      [['longest gap', 'biggest idle gap', 'the longest idle time', 'idle', 'gaps'], /^gap /],
      [
        ['slowest kernel', 'longest call', 'slow kernels', 'what is slow'],
        /^slowest .*longest call;/,
      ],
      [['slowest step', 'the longest step'], /^slowest step .*the longest step/],
      [['longest kernel named flash_bwd'], /^slowest flash_bwd .*whose name has “flash_bwd”/],
      [['export', 'save the window', 'download'], /^export window .*Perfetto, or csv/],
      [['export csv', 'save window as csv', 'download csv'], /^export window csv .* as CSV/],
      [['why is it slow', 'bottleneck', 'what bounds it', 'how to make it faster'], /^why /],
      [['ruler', 'measure time'], /^measure /],
      [['diff', 'compare with another run'], /^compare /],
    ])
      for (const text of texts) assert.match(await first(text), verb, text)
    for (const text of ['gemm', 'idle_kernel', 'steps', 'long', 'wait', 'copy window'])
      assert.equal(await first(text), '', text)
    await ask(page, 'slowest step')
    await head(page)
      .getByText(/^Step /)
      .waitFor()
    await page
      .locator('[data-say]', { hasText: /, the longest of \d+$/ })
      .first()
      .waitFor({ state: 'attached' })
  },
)

view.test('a word that a name has is searched, also where it says a verb otherwise', async () => {
  const page = await openProfile(
    await view.add(
      put('words.json', {
        traceEvents: ['train_step_kernel', 'gemm', 'aten::diff', 'idle_wait', 'save_all'].map(
          (name, i) => ({
            ph: 'X',
            cat: 'kernel',
            name,
            ts: 100 * i,
            dur: name === 'gemm' ? 90 : 50,
            pid: 0,
            tid: 7,
            args: { device: 0, stream: 7 },
          }),
        ),
      }),
    ),
  )
  for (const [text, name] of [
    ['diff', 'aten::diff'],
    ['idle', 'idle_wait'],
    ['save', 'save_all'],
  ]) {
    await box(page).fill(text)
    await offered(page).filter({ hasText: name }).first().waitFor()
    assert.match(await offered(page).first().textContent(), /^Find /)
    await page.keyboard.press('Enter')
    await page.locator('.event-name', { hasText: name }).waitFor()
  }
  for (const text of ['slowest of step', 'slowest called step']) {
    await page.keyboard.press('Escape')
    await ask(page, text)
    await page.locator('.event-name', { hasText: 'train_step_kernel' }).waitFor()
    await page
      .locator('[data-say]', { hasText: /train_step_kernel/ })
      .first()
      .waitFor({ state: 'attached' })
  }
})

/** Holds back the names that a text finds while `act` is under way; gives what lets them come. */
async function withoutNames(page, act) {
  const names = await hold(page, /\/s\?.*by=name/)
  await act()
  return () => names.go()
}

view.test('a word that says a verb is one, where no name has it, when that is known', async () => {
  const page = await openProfile(view.url)
  for (const [text, is] of [
    ['download', () => page.waitForEvent('download')],
    ['diff', () => page.getByRole('dialog').waitFor()],
  ]) {
    const done = is()
    const come = await withoutNames(page, () => ask(page, text))
    await Promise.all([done, come()])
  }
})

view.test('Enter before the names have come searches a word that one of them has', async () => {
  const page = await openProfile(
    await view.add(
      put('late-names.json', {
        traceEvents: ['aten::diff', 'idle_wait', 'save_all'].map((name, i) => ({
          ph: 'X',
          cat: 'kernel',
          name,
          ts: 100 * i,
          dur: 50,
          pid: 0,
          tid: 7,
          args: { device: 0, stream: 7 },
        })),
      }),
    ),
  )
  for (const [text, name] of [
    ['diff', 'aten::diff'],
    ['idle', 'idle_wait'],
    ['save', 'save_all'],
  ]) {
    const come = await withoutNames(page, () => ask(page, text))
    await drawn(page)
    assert.equal(await page.getByRole('dialog').count(), 0, text)
    assert.equal(await page.locator('.widget-details h2', { hasText: /^Idle/ }).count(), 0, text)
    await come()
    await page.locator('.event-name', { hasText: name }).waitFor()
  }
})

view.test('slowest says what it could not ask for, and takes no other event', async () => {
  const page = await openProfile(view.url),
    asked = /\/operators\?/
  await page.route(asked, route =>
    route.fulfill({ status: 500, json: { error: { text: 'the disk is gone', mend: 'mount it' } } }),
  )
  await ask(page, 'slowest')
  await page.locator('#said', { hasText: 'The disk is gone. Mount it.' }).waitFor()
  assert.equal(await page.locator('.event-name').count(), 0)
  await page.unroute(asked)
  await ask(page, 'slowest')
  await page.locator('.event-name', { hasText: SLOWEST }).waitFor()
})

view.test('why says what the device of an event waited for, else what stands out', async () => {
  const page = await openProfile(view.url)
  await ask(page, 'slowest')
  await page.locator('.event-name', { hasText: SLOWEST }).waitFor()
  await ask(page, 'why')
  await head(page).getByText(/^Idle/).waitFor()
  assert.match(await page.locator('[data-say]').first().textContent(), /^idle before it: /)
  await page.keyboard.press('Escape')
  await page.locator('.advice').first().waitFor()
  // Of Findings the time stands below the sentence, and its tooltip has long names whole.
  const heading = page.locator('.advice h3').first(),
    first = (await heading.getAttribute('title')) ?? (await heading.textContent())
  await box(page).fill('why')
  const said = await offered(page).first().textContent()
  assert.equal(said.replace(/^why /, '').replace(/\s\([^)]*\s[mun]?s\)/, ''), first)
})

view.test('measure: the next drag selects, one alone; Esc lets it be', async () => {
  const page = await openProfile(view.url),
    whole = await windowOf(page),
    over = await page.locator('.timeline .over').boundingBox()
  const across = (a, b) =>
    drag(
      page,
      { x: over.x + over.width * a, y: over.y + 30 },
      { x: over.x + over.width * b, y: over.y + 60 },
    )
  await ask(page, 'measure')
  await page.keyboard.press('Escape')
  await across(0.1, 0.9)
  const zoomed = await windowOf(page)
  assert.ok(zoomed.t1 - zoomed.t0 < whole.t1 - whole.t0)
  await ask(page, 'measure')
  await across(0.2, 0.6)
  await head(page).getByText('Area').waitFor()
  assert.deepEqual(await windowOf(page), zoomed)
  await across(0.2, 0.6)
  assert.notDeepEqual(await windowOf(page), zoomed)
})

view.test('export window: the rows of the window as a file for Perfetto, or another', async () => {
  const { kernels } = made(),
    page = await openProfile(view.url)
  await ask(page, '@10ms 20ms')
  const { t0, t1 } = await windowOf(page)
  const download = async text => {
    const [file] = await Promise.all([page.waitForEvent('download'), ask(page, text)])
    return fs.readFileSync(await file.path(), 'utf8')
  }
  const first = Math.min(
      ...torchTrace(4, 20)
        .traceEvents.filter(one => one.ts)
        .map(one => one.ts),
    ),
    inside = kernels.filter(({ ts, dur }) => {
      const start = BigInt(Math.round((ts - first) * 1e6))
      return start < t1 && start + BigInt(Math.round(dur * 1e6)) > t0
    })
  for (const text of ['export', 'exp']) {
    const perfetto = JSON.parse(await download(text))
    assert.equal(perfetto.traceEvents.filter(one => one.cat === 'kernel').length, inside.length)
    assert.match(
      await page.locator('#status').textContent(),
      /^Exporting .* as a Chrome trace for Perfetto$/,
    )
  }
  assert.match((await download('export window csv')).split('\n')[0], /name/)
  await ask(page, 'export window doc')
  assert.match(
    await page.locator('[data-say]').first().textContent(),
    /Files are perfetto, csv, parquet, not doc/,
  )
})

view.test(
  'the beginning of a verb is enough for Enter, as far as it begins no others',
  async () => {
    const page = await openProfile(view.url)
    await ask(page, 'slo')
    await page.locator('.widget-details .event-name', { hasText: SLOWEST }).waitFor()
    await ask(page, 'mea')
    await until('what to do', async () =>
      /^Drag over/.test(await page.locator('[data-say]').first().textContent()),
    )
    assert.equal(await box(page).inputValue(), '')
  },
)

view.test(
  'what is no beginning of a verb, or of names too, is searched for, and so is a verb in quotes or by the option behind it',
  async () => {
    const page = await openProfile(view.url),
      hits = () => page.locator('.hits').textContent()
    for (const text of [SLOWEST, '"gap"', 'ga', 'com']) {
      await ask(page, text)
      await until('hits of ' + text, async () => /\d+ hit/.test(await hits()))
      assert.equal(await box(page).inputValue(), text)
      assert.equal(await page.getByRole('dialog').count(), 0)
      await ask(page, '')
    }
    await box(page).fill('gap')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await until('hits of gap', async () => /^0 hits/.test(await hits()))
  },
)

view.test(
  'a text that no event has offers the commands that have it; a field with a colon is one',
  async () => {
    const page = await openProfile(view.url)
    await box(page).fill('annotations')
    await until('the command', async () =>
      /Show Annotations/.test((await offered(page).allTextContents()).join()),
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('.widget-annotations').first().waitFor()
    await box(page).fill('kind: span')
    await page.locator('.command-list').getByText('as kind~span', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await until('its hits', async () =>
      /^[1-9][\d,]* hits/.test(await page.locator('.hits').textContent()),
    )
    assert.equal(await box(page).inputValue(), 'kind: span')
  },
)

const found = page => page.locator('.command-list .found').first()

view.test('while people type, the box lists the names found, with calls and time', async () => {
  const page = await openProfile(view.url),
    all = torchTrace(4, 20).traceEvents.filter(one => one.ph === 'X' && /gemm/i.test(one.name)),
    names = [...new Set(all.map(one => one.name))],
    time = name => all.filter(one => one.name === name).reduce((sum, one) => sum + one.dur, 0)
  names.sort((a, b) => time(b) - time(a))
  await box(page).fill('gemm')
  await found(page)
    .getByText(all.length + ' hits, ' + names.length + ' names')
    .waitFor()
  const listed = offered(page)
  assert.equal(await listed.count(), Math.min(names.length, 6))
  const [first, calls] = [
    await listed.first().locator('span').first().textContent(),
    await listed.first().locator('.figures span').first().textContent(),
  ]
  assert.equal(first, names[0])
  assert.equal(parseInt(calls), all.filter(one => one.name === names[0]).length)
  // A name is chosen by arrows, and then alone is searched for.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await until('hits of the name', async () =>
    (await page.locator('.hits').textContent()).startsWith(parseInt(calls) + ' hit'),
  )
})

view.test('a regular expression fits the whole name or the short one that is shown', async () => {
  // As compilers write kernels; the names of shown ones were read off by hand.
  const SHOWN = new Map([
      ['void flash::flash_fwd<float, 64>(flash::Args)', 'flash_fwd'],
      ['void at::native::fill<float>(at::native::Args<float>, int)', 'fill'],
      ['gemm_up', 'gemm_up'],
      ['gemm_down', 'gemm_down'],
    ]),
    whole = [...SHOWN.keys()],
    old = ['flash_fwd', 'flash_bwd', 'gemm_up', 'gemm_down'],
    trace = JSON.parse(
      JSON.stringify(
        torchTrace(4, 20, name => (old.includes(name) ? whole[old.indexOf(name)] : name)),
      ),
    ),
    all = trace.traceEvents.filter(one => one.ph === 'X'),
    page = await openProfile(await view.add(put('shown.pt.trace.json', trace)))
  for (const source of [
    '^flash',
    '^fill$',
    '^void flash',
    'd[(]|up$',
    '^(at|native)',
    '^[^v].*e',
  ]) {
    const wanted = new RegExp(source),
      fits = all.filter(one => wanted.test(one.name) || wanted.test(SHOWN.get(one.name) ?? ''))
    await box(page).fill(source)
    await found(page)
      .getByText(new RegExp('^' + fits.length + ' hits?, '))
      .waitFor()
  }
  // The condition of --where stays that of the whole name; its command has what was found.
  await box(page).fill('name~/^flash/')
  await found(page).getByText('0 hits').waitFor()
  await box(page).fill('^flash')
  await page.keyboard.press('Enter')
  const kernels = all.filter(one => one.name === whole[0])
  await until('its hits', async () =>
    (await page.locator('.hits').textContent()).startsWith(kernels.length + ' hit'),
  )
})

view.test(
  'a text that reads as a regular expression is one, and what is none is said to be text',
  async () => {
    const page = await openProfile(view.url),
      { kernels } = made(),
      wanted = /^flash_(fwd|bwd)$/,
      those = torchTrace(4, 20).traceEvents.filter(one => one.ph === 'X' && wanted.test(one.name))
    assert.ok(those.length && those.length < kernels.length)
    await box(page).fill(wanted.source)
    await found(page)
      .getByText(those.length + ' hits, 2 names')
      .waitFor()
    await found(page).getByText('as a regular expression').waitFor()
    await page.keyboard.press('Enter')
    await until('its hits', async () =>
      (await page.locator('.hits').textContent()).startsWith(those.length + ' hit'),
    )
    assert.equal(await box(page).inputValue(), wanted.source)
    await box(page).fill('flash_(fwd')
    await found(page).getByText('as text: it is no regular expression').waitFor()
    await found(page).getByText('0 hits').waitFor()
  },
)
