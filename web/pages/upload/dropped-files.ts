// The files of a drop or of the clipboard, folders walked to their end.
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

/** Of a chosen folder: the same that a drop of it gives. */
export const shownFiles = (files: FileList | null): readonly File[] =>
  [...(files ?? [])].filter(({ name }) => !isHidden(name))
