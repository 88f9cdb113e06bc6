// Identifies a file that is not a PMTiles archive of version 3, in one sentence that says what to do.

const begins = (bytes: Buffer, text: string): boolean =>
  bytes.subarray(0, text.length).toString('latin1') === text

/** @returns undefined if it is one. */
export function foreignKind(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return 'The file is empty.'
  if (begins(bytes, 'PMTiles')) {
    const version = bytes[7]
    if (version === 3) return undefined
    return version === undefined
      ? 'The archive is cut off within its header.'
      : `It is a PMTiles archive of version ${version}; only version 3 is read.`
  }
  if (begins(bytes, 'PM') && (bytes[2] === 1 || bytes[2] === 2) && bytes[3] === 0)
    return `It is a PMTiles archive of version ${bytes[2]}; only version 3 is read: convert it with "pmtiles convert".`
  if (begins(bytes, 'SQLite format 3'))
    return 'It is a SQLite file, such as MBTiles, not a PMTiles archive: convert it with "pmtiles convert".'
  const start = bytes.subarray(0, 512).toString('latin1').trimStart().toLowerCase()
  if (start.startsWith('<!doctype html') || start.startsWith('<html'))
    return 'It is a web page, not a PMTiles archive: check the address.'
  if (start.startsWith('<?xml') || start.startsWith('{')) {
    return 'It is text, such as an error message of the server, not a PMTiles archive: check the address.'
  }
  return 'It is not a PMTiles archive.'
}
