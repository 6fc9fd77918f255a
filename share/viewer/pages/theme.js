// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system says.

const CHOICES = ['auto', 'light', 'dark']
const kept = () => localStorage.getItem('nprof-theme') ?? 'auto'

export function applyTheme() {
  const choice = kept()
  const dark =
    choice === 'dark' || (choice === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.dispatchEvent(new CustomEvent('nprof-theme'))
}

export function nextTheme() {
  const choice = CHOICES[(CHOICES.indexOf(kept()) + 1) % CHOICES.length]
  localStorage.setItem('nprof-theme', choice)
  applyTheme()
  return choice
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme)
