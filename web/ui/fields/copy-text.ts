// Puts a text on the clipboard; pages over plain http to a name have none, and then the older way.

function copyByHand(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  // Whoever copies by keyboard goes on from where they were.
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}

/** @returns whether it is there now: a browser may keep the clipboard to itself. */
export async function copyText(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return copyByHand(text)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByHand(text)
  }
}
