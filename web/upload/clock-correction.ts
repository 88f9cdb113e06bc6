// The correction of a camera's clock as people read it.

const two = (figure: number): string => String(figure).padStart(2, '0')

/** `+1:00`, `−0:12:30`; the seconds only where there are any. */
export function correctionText(seconds: number): string {
  const size = Math.abs(Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(size / 3_600), Math.floor(size / 60) % 60, size % 60]
  return `${seconds < 0 ? '−' : '+'}${hours}:${two(minutes)}${rest === 0 ? '' : `:${two(rest)}`}`
}
