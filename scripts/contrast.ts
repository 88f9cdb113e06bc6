// The contrast of the palette as WCAG 2.2 measures it, from the custom properties of the stylesheet itself.
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const stylesheet = path.resolve(import.meta.dirname, '../src/site/assets/waymark.css')

export type Palette = ReadonlyMap<string, string>

/** Colours that carry no meaning and bound nothing that must be found. */
export const decorative: readonly string[] = ['hairline', 'ridge']

/** Text needs 4.5 (1.4.3); what bounds a control or shows the focus, 3 (1.4.11). */
export const maxNeeded = { text: 4.5, shape: 3 } as const

export interface Pair {
  readonly front: string
  readonly back: string
  readonly kind: keyof typeof maxNeeded
}

function pair(kind: Pair['kind'], front: string, ...backs: readonly string[]): Pair[] {
  return backs.map((back) => ({ front, back, kind }))
}

/** Every pair that lies on each other on a page. */
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

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 1, which is no contrast, to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function coloursOf(css: string): Map<string, string> {
  return new Map(
    [...css.matchAll(/--([\w-]+):\s*(#[\da-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  )
}

/** What the dark one does not say anew is as in the light one. */
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
