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

/** The same, narrowed to the contents whose hashes begin like this one. */
export const foldersNear = (sha256: string): string[] =>
  blobFolders.map((folder) => `${folder}/${sha256.slice(0, 2)}`)
