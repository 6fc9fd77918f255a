// SPDX-License-Identifier: Apache-2.0
// What the page calls a kernel: its short name, which the server makes of all names of the profile,
// without return type, namespaces, parameters and most template arguments, so that no two are
// alike. Names of a list may also be of others than rows, such as of operators: in no list do two
// different names show as one. The whole name is in titles and copies.

/** Whether a name may have a shorter form: functions of C++ alone have. @param {string} name */
export const mayShorten = name => /^_Z|\)( const)?$| \[clone /.test(name)

/**
 * What names of a list are called there: each by its short name, unless another of them is called
 * so or has that name.
 * @param {Iterable<string>} names @param {(name: string) => string} shortOf
 * @returns {Map<string, string>} by the whole name
 */
export function calledOf(names, shortOf) {
  const whole = new Set(names),
    called = new Map([...whole].map(name => [name, shortOf(name)])),
    owners = new Map()
  for (const text of called.values()) owners.set(text, (owners.get(text) ?? 0) + 1)
  for (const [name, text] of called)
    if (text !== name && (owners.get(text) > 1 || whole.has(text))) called.set(name, name)
  return called
}
