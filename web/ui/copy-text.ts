// Puts a text on the clipboard; pages over plain http to a name have none, and then the older way.

function copyByHand(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return isCopied
}

/** @returns whether it is there: a browser may forbid it, and then nothing may say that it was copied. */
export async function copyText(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return copyByHand(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyByHand(text),
  )
}
