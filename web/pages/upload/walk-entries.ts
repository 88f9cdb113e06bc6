// Walks dropped folders recursively. Declares the part of the browser's entries that it needs, so that tests can
// supply their own.

export interface Entry {
  readonly name: string
  readonly isFile: boolean
  readonly isDirectory: boolean
}

interface FileEntry extends Entry {
  file(take: (file: File) => void, fail: () => void): void
}

interface FolderEntry extends Entry {
  createReader(): {
    readEntries(take: (entries: Entry[]) => void, fail: (error: Error) => void): void
  }
}

/** System files in folders, which nobody means to upload. */
export const isHidden = (name: string): boolean =>
  name.startsWith('.') || /^(?:Thumbs\.db|desktop\.ini)$/i.test(name)

const isFile = (entry: Entry): entry is FileEntry => entry.isFile
const isFolder = (entry: Entry): entry is FolderEntry => entry.isDirectory

/** An unreadable file becomes an empty file of its name: its row reports it, and the others are still added. */
const unread = ({ name }: Entry): File => new File([], name)

const fileOf = (entry: FileEntry): Promise<File> =>
  new Promise((resolve) => entry.file(resolve, () => resolve(unread(entry))))

/** A reader returns up to a hundred entries at a time, and none at the end. */
async function entriesOf(folder: FolderEntry): Promise<readonly Entry[]> {
  const reader = folder.createReader()
  const entries: Entry[] = []
  for (;;) {
    const some = await new Promise<Entry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return entries
    entries.push(...some)
  }
}

export async function filesBelow(entry: Entry): Promise<readonly File[]> {
  if (isFile(entry)) return [await fileOf(entry)]
  if (!isFolder(entry)) return []
  const entries = await entriesOf(entry).catch(() => undefined)
  if (entries === undefined) return [unread(entry)]
  const sorted = entries
    .filter(({ name }) => !isHidden(name))
    .toSorted((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }))
  return (await Promise.all(sorted.map(filesBelow))).flat()
}
