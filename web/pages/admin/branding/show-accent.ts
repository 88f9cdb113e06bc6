// Puts an accent that was just chosen on the page that is open: the stylesheet that it came with has the one before.
import { stylesheetOf } from '../../../../src/shared/colours/accent.ts'

const id = 'chosen-accent'

/** @param accent null for the palette as it is. */
export function showAccent(accent: string | null): void {
  document.querySelectorAll('link[rel=stylesheet][href*="/brand/"]').forEach((link) => link.remove())
  document.querySelector(`#${id}`)?.remove()
  if (accent === null) return
  const style = document.createElement('style')
  style.id = id
  style.textContent = stylesheetOf(accent)
  document.head.append(style)
}
