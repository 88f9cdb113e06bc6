// The colours that are derived from the accent colour of a site, legible in light and in dark (decision 0120).
import { contrast, linearChannels, maxNeeded } from './contrast.ts'

/** Named as in src/site/assets/waymark.css; `tint` is for the selected one of several. */
export interface AccentShades {
  readonly accent: string
  readonly 'accent-strong': string
  readonly 'on-accent': string
  readonly link: string
  readonly ridge: string
  readonly 'tint-back': string
  readonly 'tint-text': string
}

export type Scheme = 'light' | 'dark'

/** What the accent lies on, as waymark.css has it. */
export const backs = {
  light: { page: '#faf9f5', surface: '#ffffff', sunken: '#f1efe7' },
  dark: { page: '#131916', surface: '#1b2320', sunken: '#0e1311' },
} as const satisfies Record<Scheme, object>

/** The background it is shown on. */
export const inks = {
  light: { text: '#1c2620', muted: '#55625a', hairline: '#dfdccf', border: '#7c877f' },
  dark: { text: '#e8ebe4', muted: '#a6b2aa', hairline: '#2e3934', border: '#74827a' },
} as const satisfies Record<Scheme, object>

/** The accent of waymark.css. */
export const ownAccent = { light: '#1d6546', dark: '#7fcca3' } as const satisfies Record<Scheme, string>

const white = '#ffffff'
const black = '#000000'

export const isColour = (text: string): boolean => /^#[\da-f]{6}$/i.test(text)

/** Lightness from 0 to 1 as the eye sees it, and the two axes of colour (OKLab). */
interface Seen {
  readonly lightness: number
  readonly a: number
  readonly b: number
}

function seen(hex: string): Seen {
  const [red, green, blue] = linearChannels(hex)
  const long = Math.cbrt(0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue)
  const medium = Math.cbrt(0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue)
  const short = Math.cbrt(0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue)
  return {
    lightness: 0.210_454_255_3 * long + 0.793_617_785 * medium - 0.004_072_046_8 * short,
    a: 1.977_998_495_1 * long - 2.428_592_205 * medium + 0.450_593_709_9 * short,
    b: 0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766 * short,
  }
}

function channelsOf({ lightness, a, b }: Seen): readonly number[] {
  const long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3
  const medium = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3
  const short = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3
  return [
    4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
    -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
    -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701 * short,
  ]
}

function hexOf(channels: readonly number[]): string {
  const bytes = channels.map((light) => {
    const share = light <= 0.003_130_8 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055
    return Math.round(Math.min(1, Math.max(0, share)) * 255)
  })
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The same hue at another lightness, as strong as a screen can show it. */
function at(lightness: number, { a, b }: Pick<Seen, 'a' | 'b'>): string {
  const bounded = Math.min(1, Math.max(0, lightness))
  for (let share = 1; share > 0.01; share -= 0.02) {
    const channels = channelsOf({ lightness: bounded, a: a * share, b: b * share })
    if (channels.every((light) => light >= -0.000_5 && light <= 1.000_5)) return hexOf(channels)
  }
  return hexOf(channelsOf({ lightness: bounded, a: 0, b: 0 }))
}

const step = 0.005

/** The nearest shade, darker or lighter, that has the contrast on all of them: at the end it is black or white. */
function legible(hex: string, direction: -1 | 1, needed: number, on: readonly string[]): string {
  const isLegible = (shade: string): boolean => on.every((back) => contrast(shade, back) >= needed)
  if (isLegible(hex)) return hex
  const origin = seen(hex)
  for (let lightness = origin.lightness; lightness >= 0 && lightness <= 1; lightness += direction * step) {
    const shade = at(lightness, origin)
    if (isLegible(shade)) return shade
  }
  return direction < 0 ? black : white
}

const paler = ({ a, b }: Seen, maxChroma: number): Pick<Seen, 'a' | 'b'> => {
  const share = Math.min(1, maxChroma / Math.max(0.000_1, Math.hypot(a, b)))
  return { a: a * share, b: b * share }
}

function shadesIn(scheme: Scheme, hex: string): AccentShades {
  const isLight = scheme === 'light'
  const away = isLight ? -1 : 1
  const { page, surface, sunken } = backs[scheme]
  const on = [page, surface, sunken]
  const accent = legible(hex, away, maxNeeded.shape, on)
  const onAccent = contrast(accent, white) >= maxNeeded.text ? white : black
  const origin = seen(accent)
  const back = at(isLight ? 0.95 : 0.28, paler(origin, isLight ? 0.03 : 0.04))
  return {
    accent,
    // Away from the colour of the text on it.
    'accent-strong': at(origin.lightness + (onAccent === white ? -0.08 : 0.08), origin),
    'on-accent': onAccent,
    link: legible(accent, away, maxNeeded.text, on),
    ridge: isLight ? accent : at(0.48, origin),
    'tint-back': back,
    'tint-text': legible(at(isLight ? 0.36 : 0.87, paler(origin, 0.1)), away, maxNeeded.text, [back]),
  }
}

/**
 * Keeps the colour if it is legible, and otherwise its hue. Every colour has such shades.
 * @param hex `#rrggbb`.
 */
export function shadesOf(hex: string): Readonly<Record<Scheme, AccentShades>> {
  const colour = hex.toLowerCase()
  return { light: shadesIn('light', colour), dark: shadesIn('dark', colour) }
}

export interface MeasuredAccent {
  readonly front: keyof AccentShades
  readonly back: string
  readonly needed: number
  readonly ratio: number
}

/** Every pair with a derived colour that lies on each other on a page, as measured. */
export function measureAccent(scheme: Scheme, shades: AccentShades): readonly MeasuredAccent[] {
  const measured = (front: keyof AccentShades, back: string, needed: number, on: string): MeasuredAccent => ({
    front,
    back,
    needed,
    ratio: contrast(shades[front], on),
  })
  const { text, shape } = maxNeeded
  return [
    ...Object.entries(backs[scheme]).map(([name, hex]) => measured('accent', name, shape, hex)),
    measured('on-accent', 'accent', text, shades.accent),
    measured('on-accent', 'accent-strong', text, shades['accent-strong']),
    ...Object.entries(backs[scheme]).map(([name, hex]) => measured('link', name, text, hex)),
    measured('tint-text', 'tint-back', text, shades['tint-back']),
  ]
}

const declared = (shades: AccentShades): string =>
  Object.entries(shades)
    .map(([name, hex]) => `--${name}:${hex}`)
    .join(';')

/**
 * Overrides the palette wherever it is: for server-rendered pages, and for those of the app, where the user may choose.
 */
export function stylesheetOf(hex: string): string {
  const { light, dark } = shadesOf(hex)
  return [
    `html:root{${declared(light)}}`,
    `@media (prefers-color-scheme:dark){html:root{${declared(dark)}}}`,
    `html:root[data-mantine-color-scheme='light']{${declared(light)}}`,
    `html:root[data-mantine-color-scheme='dark']{${declared(dark)}}`,
    // Without scripts, pages of the app stay marked as light.
    `@media screen and (prefers-color-scheme:dark) and (scripting:none){html:root[data-mantine-color-scheme]{${declared(dark)}}}`,
    '',
  ].join('\n')
}
