// SPDX-License-Identifier: Apache-2.0
// A click on a head of `nprof report -o page.html` sorts: the largest number first, text from A to
// Z, the other way on the next click; a cell without a value stays last. The order of the page
// settles ties.
'use strict'
for (const table of document.querySelectorAll('table:not(.answers, .numbers)')) {
  const body = table.tBodies[0],
    rows = Array.from(body.rows),
    heads = Array.from(table.tHead.rows[0].cells)
  heads.forEach((head, c) =>
    head.firstChild.addEventListener('click', () => {
      const number = head.className === 'n',
        [first, second] = number ? ['descending', 'ascending'] : ['ascending', 'descending'],
        order = head.getAttribute('aria-sort') === first ? second : first,
        sign = order === 'ascending' ? 1 : -1
      const key = row => (number ? row.cells[c].dataset.v : row.cells[c].textContent),
        compare = (a, b) => (number ? a - b : a < b ? -1 : a > b ? 1 : 0)
      heads.forEach(other => other.removeAttribute('aria-sort'))
      head.setAttribute('aria-sort', order)
      body.append(
        ...rows.slice().sort((a, b) => {
          const x = key(a),
            y = key(b)
          if (x === undefined || y === undefined) return (x === undefined) - (y === undefined)
          return sign * compare(x, y)
        }),
      )
    }),
  )
}
