// The files of a drop or of the clipboard, folders walked to their end.

/** What browsers hide in folders, and nobody means to send. */
const isHidden = (name: string): boolean =>
  name.startsWith('.') || /^(?:Thumbs\.db|desktop\.ini)$/i.test(name)

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader gives a hundred entries at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return entries
    entries.push(...some)
  }
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

async function walk(entry: FileSystemEntry): Promise<readonly File[]> {
  if (isFile(entry)) return [await fileOf(entry)]
  if (!isFolder(entry)) return []
  const within = (await entriesOf(entry)).filter(({ name }) => !isHidden(name))
  const sorted = within.toSorted((one, other) =>
    one.name.localeCompare(other.name, undefined, { numeric: true }),
  )
  return (await Promise.all(sorted.map(walk))).flat()
}

/** Must be called before the event ends: its items are gone afterwards. */
export async function filesOf(transfer: DataTransfer): Promise<readonly File[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
  const taken = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found = await Promise.all(
    taken.map(async ({ entry, file }) => {
      if (entry?.isDirectory === true) return walk(entry)
      return file === null ? [] : [file]
    }),
  )
  return found.flat()
}

/** Of a chosen folder: the same that a drop of it gives. */
export const shownFiles = (files: FileList | null): readonly File[] =>
  [...(files ?? [])].filter(({ name }) => !isHidden(name))
