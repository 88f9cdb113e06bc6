// Applies a newly chosen accent to the open page, whose stylesheet still has the previous one.
import { stylesheetOf } from '../../../../src/shared/colours/accent.ts'

const id = 'chosen-accent'

/** @param accent null for the default palette. */
export function showAccent(accent: string | null): void {
  document.querySelectorAll('link[rel=stylesheet][href*="/brand/"]').forEach((link) => link.remove())
  document.querySelector(`#${id}`)?.remove()
  if (accent === null) return
  const style = document.createElement('style')
  style.id = id
  style.textContent = stylesheetOf(accent)
  document.head.append(style)
}
