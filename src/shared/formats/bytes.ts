// Texts in bytes, as the formats of files have them: signatures, names of blocks.

/** The bytes of a Latin-1 text, for signatures and for writing. */
export function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}

/** Whether `signature` is at `at`, completely before `end`. */
export function standsAt(bytes: Uint8Array, at: number, signature: Uint8Array, end = bytes.length): boolean {
  return at + signature.length <= end && signature.every((value, index) => bytes[at + index] === value)
}
