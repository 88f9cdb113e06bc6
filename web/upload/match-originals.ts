// Which of the files that somebody chooses again are photos of the list: Android names a file differently in each chooser.

export interface FileTraits {
  readonly name: string
  /** The camera's clock, as text. */
  readonly takenAt: string | undefined
  readonly width: number | undefined
  readonly height: number | undefined
}

/** Turned by a quarter or not: one side was read from the header, the other from the picture. */
const traitsKey = ({ takenAt, width, height }: FileTraits): string | undefined => {
  if (takenAt === undefined || width === undefined || height === undefined) return undefined
  return `${takenAt} ${Math.min(width, height)} ${Math.max(width, height)}`
}

const nameOf = ({ name }: FileTraits): string => name.toLowerCase()

const mayBeSame = (one: FileTraits, other: FileTraits): boolean =>
  one.takenAt === undefined || other.takenAt === undefined || one.takenAt === other.takenAt

/**
 * By their names first, unless their times differ; then by time and size in pixels, in the order of both lists where a
 * burst has several of a second. @returns for each file the index of its photo; undefined for one that is none of them.
 */
export function matchOriginals(
  photos: readonly FileTraits[],
  files: readonly FileTraits[],
): (number | undefined)[] {
  const free = new Set(photos.keys())
  const matches: (number | undefined)[] = files.map(() => undefined)
  const take = (isMatch: (photo: FileTraits, file: FileTraits) => boolean): void => {
    for (const [index, file] of files.entries()) {
      if (matches[index] !== undefined) continue
      const found = [...free].find((at) => {
        const photo = photos[at]
        return photo !== undefined && isMatch(photo, file)
      })
      if (found === undefined) continue
      matches[index] = found
      free.delete(found)
    }
  }
  take((photo, file) => nameOf(photo) === nameOf(file) && mayBeSame(photo, file))
  take((photo, file) => traitsKey(file) !== undefined && traitsKey(photo) === traitsKey(file))
  return matches
}
