// The guides of docs/ as pages of the app: Markdown is turned into HTML when the app is built, so no reader of it is shipped.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin } from 'vite'
import { guideNames } from '../pages/docs/guide-list.ts'
import { readGuide } from './guide-blocks.ts'

const prefix = 'virtual:guide/'
const index = 'virtual:guides'
const folder = path.join(import.meta.dirname, '../../docs')

const fileOf = (name: string): string => path.join(folder, `${name}.md`)

/** Titles and headings of all, for the list and its search. */
async function readIndex() {
  const infos = guideNames.map(async (name) => {
    const { title, headings } = readGuide(await readFile(fileOf(name), 'utf8'))
    return { name, title, headings }
  })
  return Promise.all(infos)
}

/** Each guide is a chunk, which the page loads by its name. */
const loaders = (): string =>
  guideNames
    .map((name) => `  ${JSON.stringify(name)}: () => import(${JSON.stringify(prefix + name)}),`)
    .join('\n')

export function guides(): Plugin {
  return {
    name: 'guides',
    resolveId: (source) => (source === index || source.startsWith(prefix) ? `\0${source}` : undefined),
    async load(id) {
      if (id === `\0${index}`) {
        for (const name of guideNames) this.addWatchFile(fileOf(name))
        return `export const guides = ${JSON.stringify(await readIndex())}\nexport const load = {\n${loaders()}\n}`
      }
      if (!id.startsWith(`\0${prefix}`)) return undefined
      const name = id.slice(prefix.length + 1)
      if (!guideNames.includes(name)) throw new Error(`${name} is no guide of web/pages/docs/guide-list.ts`)
      this.addWatchFile(fileOf(name))
      return `export const guide = ${JSON.stringify(readGuide(await readFile(fileOf(name), 'utf8')))}`
    },
  }
}
