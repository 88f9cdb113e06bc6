// The contrast of two colours as WCAG 2.2 measures it.

/** Text needs 4.5 (1.4.3); what bounds a control or shows the focus, 3 (1.4.11). */
export const maxNeeded = { text: 4.5, shape: 3 } as const

/** From 0 to 1, in light. @param hex `#rrggbb`. */
export function linearChannels(hex: string): readonly [number, number, number] {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return [red, green, blue]
}

function luminance(hex: string): number {
  const [red, green, blue] = linearChannels(hex)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 1 (no contrast) to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}
