// Contrast of the palette according to WCAG 2.2, from the stylesheet's custom properties.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { contrast, maxNeeded } from '../src/shared/colours/contrast.ts'

export { contrast, maxNeeded } from '../src/shared/colours/contrast.ts'

const stylesheet = path.resolve(import.meta.dirname, '../src/site/assets/waymark.css')

export type Palette = ReadonlyMap<string, string>

/** Colours without meaning that mark no boundary a user must see. */
export const decorative: readonly string[] = ['hairline', 'ridge']

export interface Pair {
  readonly front: string
  readonly back: string
  readonly kind: keyof typeof maxNeeded
}

function pair(kind: Pair['kind'], front: string, ...backs: readonly string[]): Pair[] {
  return backs.map((back) => ({ front, back, kind }))
}

/** All pairs of foreground and background on any page. */
export const pairs: readonly Pair[] = [
  ...pair('text', 'text', 'page', 'surface', 'sunken'),
  ...pair('text', 'muted', 'page', 'surface', 'sunken'),
  ...pair('text', 'link', 'page', 'surface', 'sunken'),
  ...pair('text', 'danger', 'page', 'surface'),
  ...pair('text', 'on-accent', 'accent', 'accent-strong'),
  ...pair('text', 'on-danger', 'danger', 'danger-strong'),
  ...pair('text', 'good-text', 'good-back'),
  ...pair('text', 'bad-text', 'bad-back'),
  ...pair('text', 'info-text', 'info-back'),
  ...pair('shape', 'border', 'page', 'surface', 'sunken'),
  ...pair('shape', 'focus', 'page', 'surface', 'sunken'),
  ...pair('shape', 'accent', 'page', 'surface'),
]

function coloursOf(css: string): Map<string, string> {
  return new Map(
    [...css.matchAll(/--([\w-]+):\s*(#[\da-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  )
}

/** Properties that the dark palette does not override are those of the light one. */
export function palettesOf(css: string): Readonly<Record<'light' | 'dark', Palette>> {
  const [, light = '', dark = ''] =
    /^:root \{([\s\S]*?)^\}[\s\S]*?@media \(prefers-color-scheme: dark\) \{([\s\S]*?)^\}/m.exec(css) ?? []
  const lightColours = coloursOf(light)
  return { light: lightColours, dark: new Map([...lightColours, ...coloursOf(dark)]) }
}

export async function readPalettes(): Promise<Readonly<Record<'light' | 'dark', Palette>>> {
  return palettesOf(await readFile(stylesheet, 'utf8'))
}

export interface MeasuredPair extends Pair {
  readonly light: number
  readonly dark: number
}

export async function measuredPairs(): Promise<MeasuredPair[]> {
  const { light, dark } = await readPalettes()
  const measure = (palette: Palette, { front, back }: Pair): number => {
    const [one, other] = [palette.get(front), palette.get(back)]
    if (one === undefined || other === undefined) throw new Error(`no colour ${front} or ${back}`)
    return contrast(one, other)
  }
  return pairs.map((each) => {
    const { front, back, kind } = each
    return { front, back, kind, light: measure(light, each), dark: measure(dark, each) }
  })
}
