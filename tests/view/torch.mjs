// SPDX-License-Identifier: Apache-2.0
// A made PyTorch trace: steps of kernels that the host launches, an all-reduce beside them, allocations, lines of
// code. In step 3 the host is late once, and the kernel behind that gap is the slowest.
const LAYERS = ['attention.py:12', 'attention.py:31', 'mlp.py:8', 'mlp.py:15']
const NAMES = ['flash_fwd', 'flash_bwd', 'gemm_up', 'gemm_down']
export const STEP_US = 10000,
  SLOW_STEP = 3,
  SLOWEST = 'flash_bwd',
  SLOW_LINE = 31

/** The files that rows name. */
export const SOURCES = {
  'attention.py':
    Array.from({ length: 40 }, (_, i) =>
      i === 30
        ? '    return flash_bwd(q, k, v, grad)  # the slow one'
        : '# attention, line ' + (i + 1),
    ).join('\n') + '\n',
  'mlp.py': Array.from({ length: 20 }, (_, i) => '# mlp, line ' + (i + 1)).join('\n') + '\n',
}

/** Events of one step: `kernels` of them, each launched by an operator of the host; operators allocate, and a kilobyte of each step stays. */
function* step(s, kernels, id) {
  const start = s * STEP_US,
    each = 7000 / kernels
  yield {
    ph: 'X',
    cat: 'user_annotation',
    name: 'ProfilerStep#' + s,
    pid: 100,
    tid: 1,
    ts: start,
    dur: STEP_US - 100,
  }
  for (let k = 0; k < kernels; k++) {
    const slow = s === SLOW_STEP && k === kernels - 1,
      at = start + 100 + k * each + (slow ? 900 : 0),
      correlation = id + k
    const layer = slow ? NAMES.indexOf(SLOWEST) : k % LAYERS.length
    yield {
      ph: 'X',
      cat: 'cpu_op',
      name: 'aten::' + NAMES[layer],
      pid: 100,
      tid: 1,
      ts: at,
      dur: each / 4,
      args: { 'External id': correlation },
    }
    yield {
      ph: 'X',
      cat: 'cuda_runtime',
      name: 'cudaLaunchKernel',
      pid: 100,
      tid: 1,
      ts: at + each / 16,
      dur: each / 16,
      args: { correlation, 'External id': correlation },
    }
    yield {
      ph: 'X',
      cat: 'kernel',
      name: NAMES[layer],
      pid: 0,
      tid: 7,
      ts: at + each / 4,
      dur: slow ? 700 : each * (0.4 + 0.05 * layer),
      args: {
        device: 0,
        stream: 7,
        correlation,
        'External id': correlation,
        source: LAYERS[layer],
      },
    }
  }
  yield {
    ph: 'X',
    cat: 'kernel',
    name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL',
    pid: 0,
    tid: 20,
    ts: start + 9000,
    dur: 200,
    args: {
      device: 0,
      stream: 20,
      'Collective name': 'allreduce',
      'In msg nelems': 262144,
      'Out msg nelems': 262144,
      dtype: 'Float',
      'Group size': 8,
    },
  }
  let total = s * 1024
  for (const [part, address, bytes] of [
    [0, 8192 + s, 1024],
    [1 / 8, 4096, 1 << 20],
    [1 / 4, 4096, -(1 << 20)],
    [1 / 2, 4097, 1 << 21],
    [1, 4097, -(1 << 21)],
  ]) {
    total += bytes
    yield {
      ph: 'i',
      s: 't',
      cat: 'cpu_instant_event',
      name: '[memory]',
      pid: 100,
      tid: 1,
      ts: start + 102 + 7000 * part,
      args: {
        'Total Allocated': total,
        'Total Reserved': 1 << 24,
        'Device Type': 1,
        'Device Id': 0,
        Addr: address,
        Bytes: bytes,
      },
    }
  }
}

/** @param {number} steps @param {number} kernels of a step */
export function* torchEvents(steps = 5, kernels = 16) {
  for (let s = 0; s < steps; s++)
    for (const event of step(s, kernels, 1 + s * kernels))
      yield { ...event, ts: rounded(event.ts), ...(event.dur ? { dur: rounded(event.dur) } : {}) }
}

/** To a nanosecond, as profilers write. */
const rounded = us => Number(us.toFixed(3))

/** @param {number} [steps] @param {number} [kernels] @param {(name: string) => string} [named] what a kernel is called */
export const torchTrace = (steps, kernels, named = name => name) => ({
  schemaVersion: 1,
  deviceProperties: [{ id: 0, name: 'NVIDIA H100', regsPerBlock: 65536 }],
  distributedInfo: { backend: 'nccl', rank: 0, world_size: 8 },
  traceEvents: [...torchEvents(steps, kernels)].map(event =>
    event.cat === 'kernel' ? { ...event, name: named(event.name) } : event,
  ),
})

/** Who sits before the page: counts acts of the mouse, and keys. */
export function newUser(page) {
  const user = { acts: 0, keys: 0 }
  return Object.assign(user, {
    click: async locator => {
      user.acts++
      await locator.click()
    },
    press: async (...keys) => {
      for (const key of keys) {
        user.keys++
        await page.keyboard.press(key)
      }
    },
  })
}

/** How long it took, as the page writes it. */
const SLOWEST_NS = /^700,000 ns 700 us/

const eventName = page => page.locator('.widget-details .event-name')
const areaName = page => page.locator('.widget-details h2')

/** With the mouse alone: the slowest kernel of step 3, its line, and why the device was idle before it. */
export async function findByMouse(page) {
  const user = newUser(page),
    button = name => page.locator('.widget-details').getByRole('button', { name, exact: true })
  await user.click(button('First step'))
  for (let s = 0; s < SLOW_STEP; s++) {
    await areaName(page)
      .filter({ hasText: 'Step ProfilerStep#' + s })
      .waitFor()
    await user.click(button('Step ›'))
  }
  await areaName(page)
    .filter({ hasText: 'Step ProfilerStep#' + SLOW_STEP })
    .waitFor()
  await user.click(button('Slowest'))
  await eventName(page).filter({ hasText: SLOWEST }).waitFor()
  await page.locator('.widget-details dd').filter({ hasText: SLOWEST_NS }).waitFor()
  await user.click(
    page.locator('.widget-details').getByRole('link', { name: 'attention.py:' + SLOW_LINE }),
  )
  await page.locator('.cm-line.cm-here', { hasText: 'the slow one' }).waitFor()
  if (!(await button('Idle before').isVisible()))
    await user.click(page.getByRole('tab', { name: 'Details', exact: true }))
  await user.click(button('Idle before'))
  await areaName(page)
    .filter({ hasText: /^Idle: not launched yet / })
    .waitFor()
  return user
}

/** The same with keys alone. */
export async function findByKeys(page) {
  const user = newUser(page)
  for (let s = 0; s <= SLOW_STEP; s++) {
    await user.press('n')
    await areaName(page)
      .filter({ hasText: 'Step ProfilerStep#' + s })
      .waitFor()
  }
  await user.press('x')
  await eventName(page).filter({ hasText: SLOWEST }).waitFor()
  await page
    .locator('.widget-details dd')
    .filter({ hasText: SLOWEST_NS })
    .waitFor({ state: 'attached' })
  await user.press('o')
  await page.locator('.cm-line.cm-here', { hasText: 'the slow one' }).waitFor()
  await user.press('i')
  await page
    .locator('[data-say]')
    .filter({ hasText: /idle before it: [\d.]+ [mun]?s, not launched yet/ })
    .waitFor({ state: 'attached' })
  return user
}
