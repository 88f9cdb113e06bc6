// The files of a drop or a paste, including all nested folders.
import { filesBelow, isHidden } from './walk-entries.ts'

/** Must be called before the event ends: its items are gone afterwards. */
export async function filesOf(transfer: DataTransfer): Promise<readonly File[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const taken = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found = await Promise.all(
    taken.map(async ({ entry, file }) => {
      if (entry?.isDirectory === true) return filesBelow(entry)
      return file === null ? [] : [file]
    }),
  )
  return found.flat()
}

/** From a chosen folder: the same result as dropping it. */
export const shownFiles = (files: FileList | null): readonly File[] =>
  [...(files ?? [])].filter(({ name }) => !isHidden(name))
