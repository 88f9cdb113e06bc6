// The keys of an upload's blobs: by the hash of the original, so that equal uploads share them.

/** The unchanged, private original; only stored if it cannot be rebuilt from size lg and what that lacks (originals.ts). */
export const originalKey = (sha256: string): string => `original/${sha256.slice(0, 2)}/${sha256}`

const removedPrefix = 'removed.'

/** The name of what size lg lacks of the original: for this very lg, as another may replace it. */
export const removedName = (largeDigest: string): string => `${removedPrefix}${largeDigest.slice(0, 16)}`

export const isRemovedName = (name: string): boolean => name.startsWith(removedPrefix)

/** Whether a power cut must not take it: everything else can be made again. */
export const isOfOriginal = (name: string): boolean => name === 'lg' || isRemovedName(name)

/** @param name `lg`, size and format such as `sm.jpeg`, or what `removedName` gives, which is private. */
export const renditionKey = (sha256: string, name: string): string =>
  `${isRemovedName(name) ? 'original' : 'rendition'}/${sha256.slice(0, 2)}/${sha256}.${name}`

const ofContent = /^(?:original|rendition)\/[0-9a-f]{2}\/([0-9a-f]{64})(?:\.([a-z0-9.]+))?$/

/** The hash of the original that a blob belongs to, or undefined where the key is none of ours. */
export const contentOf = (key: string): string | undefined => ofContent.exec(key)?.[1]

/** The name that `renditionKey` made the key of; undefined for that of an original, and where the key is none of ours. */
export const nameIn = (key: string): string | undefined => ofContent.exec(key)?.[2]

/** The folders that between them hold every blob; in each, blobs are in the order of their contents' hashes. */
export const blobFolders = ['original', 'rendition'] as const

/** Comes, in a folder of `blobFolders`, before all blobs of contents whose hashes begin with the digits or come later. */
export const beforeContents = (folder: string, digits: string): string =>
  `${folder}/${digits.slice(0, 2)}/${digits}`
