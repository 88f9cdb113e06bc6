// The dark look without scripts: the server cannot know what a browser prefers, and writes pages that are light until
// before-paint.js says otherwise. What the styles say of the dark look is repeated in a file of its own, of which only
// browsers without scripts hear (src/web-app/shell.ts).
import { parse, type Container } from 'postcss'
import type { Plugin } from 'vite'

const dark = /\[data-mantine-color-scheme=(["']?)dark\1\]/g
/** What the server writes. */
const written = '[data-mantine-color-scheme=light]'

const isDark = (selector: string): boolean => selector.search(dark) >= 0

/** Drops everything but the dark rules, and whatever they stand in. On paper all is light. */
function keepDark(container: Container): void {
  container.each((node) => {
    if (node.type === 'rule') {
      node.selectors = node.selectors.filter(isDark).map((selector) => selector.replaceAll(dark, written))
      if (node.selector === '') node.remove()
    } else if (node.type === 'atrule' && node.nodes !== undefined && !/\bprint\b/.test(node.params)) {
      keepDark(node)
      if (node.nodes.length === 0) node.remove()
    } else node.remove()
  })
}

/** The dark rules of a stylesheet, for pages that are marked as light. */
export function darkRules(css: string): string {
  const sheet = parse(css)
  keepDark(sheet)
  return sheet.toString()
}

/** The name of the file in the manifest. */
const name = 'dark-without-scripts.css'

export function darkWithoutScripts(): Plugin {
  return {
    name: 'waymark:dark-without-scripts',
    apply: 'build',
    generateBundle(_, bundle) {
      const sheets = Object.values(bundle).filter(
        (file) => file.type === 'asset' && file.fileName.endsWith('.css'),
      )
      const source = sheets
        .toSorted((one, other) => (one.fileName < other.fileName ? -1 : 1))
        .map((file) => (file.type === 'asset' ? darkRules(String(file.source)) : ''))
        .join('')
      if (source === '') this.error('no stylesheet has a dark look')
      this.emitFile({ type: 'asset', name, originalFileName: name, source })
    },
  }
}
