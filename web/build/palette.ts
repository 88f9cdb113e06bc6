// The colours of server-rendered pages (src/site/assets/waymark.css) as styles of the app, which can be light or dark
// whatever the system prefers: one palette, measured in docs/identity.md, in one place.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin } from 'vite'

const name = 'virtual:palette.css'
const file = path.join(import.meta.dirname, '../../src/site/assets/waymark.css')

/** @returns the declarations of the first block that the pattern matches. @throws if there is none. */
function declarations(text: string, opening: RegExp): string {
  const found = opening.exec(text)
  if (!found) throw new Error(`waymark.css has no block ${String(opening)}`)
  const from = found.index + found[0].length
  return text.slice(from, text.indexOf('}', from))
}

export function palette(): Plugin {
  return {
    name: 'palette',
    resolveId: (source) => (source === name ? `\0${name}` : undefined),
    async load(id) {
      if (id !== `\0${name}`) return undefined
      this.addWatchFile(file)
      const text = await readFile(file, 'utf8')
      const light = declarations(text, /:root \{/)
      const dark = declarations(text, /prefers-color-scheme: dark\) \{\s*:root \{/)
      return `:root{${light}}\n:root[data-mantine-color-scheme='dark']{color-scheme:dark;${dark}}\n:root[data-mantine-color-scheme='light']{color-scheme:light}`
    },
  }
}
