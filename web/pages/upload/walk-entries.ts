// Walks folders that were dropped to their end. What it needs of a browser's entries it says itself, so that tests can bring
// their own.

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

/** What browsers hide in folders, and nobody means to send. */
export const isHidden = (name: string): boolean =>
  name.startsWith('.') || /^(?:Thumbs\.db|desktop\.ini)$/i.test(name)

const isFile = (entry: Entry): entry is FileEntry => entry.isFile
const isFolder = (entry: Entry): entry is FolderEntry => entry.isDirectory

/** What cannot be read is an empty file of its name: its row tells of it, and the others come all the same. */
const unread = ({ name }: Entry): File => new File([], name)

const fileOf = (entry: FileEntry): Promise<File> =>
  new Promise((resolve) => entry.file(resolve, () => resolve(unread(entry))))

/** A reader gives a hundred entries at a time, and none at the end. */
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
