// SPDX-License-Identifier: Apache-2.0
// Files that hang over a part of the page, and are dropped on it.

/** Takes files that are dropped on an element, and shows while they hang over it. @param {HTMLElement} element @param {(files: File[]) => void} take */
export function onDrop(element, take) {
  const shown = (/** @type {boolean} */ over) => element.classList.toggle('dropping', over)
  element.addEventListener('dragover', event => {
    if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return
    event.preventDefault()
    shown(true)
  })
  element.addEventListener('dragleave', event => {
    if (event.target === element) shown(false)
  })
  element.addEventListener('drop', event => {
    const files = [...(event.dataTransfer?.files ?? [])]
    shown(false)
    if (!files.length) return
    event.preventDefault()
    take(files)
  })
}
