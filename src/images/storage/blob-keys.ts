// Where the blobs of an upload lie: by the hash of the original, so equal uploads share them.

/** The original, untouched and private. */
export const originalKey = (sha256: string): string => `original/${sha256.slice(0, 2)}/${sha256}`

/** @param name `lg`, or size and format such as `sm.jpeg`. */
export const renditionKey = (sha256: string, name: string): string =>
  `rendition/${sha256.slice(0, 2)}/${sha256}.${name}`

/** The hash of the original that a blob belongs to, or undefined where the key is none of ours. */
export function contentOf(key: string): string | undefined {
  return /^(?:original|rendition)\/[0-9a-f]{2}\/([0-9a-f]{64})(?:\.[a-z0-9.]+)?$/.exec(key)?.[1]
}

/** The folders that between them hold every blob; in each, blobs are in the order of their contents' hashes. */
export const blobFolders = ['original', 'rendition'] as const

/** Comes, in a folder of `blobFolders`, before all blobs of contents whose hashes begin with the digits or come later. */
export const beforeContents = (folder: string, digits: string): string =>
  `${folder}/${digits.slice(0, 2)}/${digits}`
