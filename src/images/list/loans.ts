// What slow readers hold of bodies being sent: a shared chunk counts once, until its last reader has it.

export function createLoans(maxBytes: number) {
  const readers = new Map<Buffer, number>()
  let bytes = 0

  function give(piece: Buffer): void {
    const count = readers.get(piece) ?? 0
    readers.set(piece, count + 1)
    if (count === 0) bytes += piece.length
  }

  function takeBack(piece: Buffer): void {
    const count = (readers.get(piece) ?? 1) - 1
    if (count > 0) return void readers.set(piece, count)
    readers.delete(piece)
    bytes -= piece.length
  }

  return {
    /** Whether slow readers already hold so much that nothing new may be lent to them. */
    isRoomFor: (pieces: readonly Buffer[]): boolean =>
      bytes <= maxBytes || (pieces.length > 0 && pieces.every((piece) => readers.has(piece))),

    /** @returns what ends it. */
    hold: (pieces: readonly Buffer[]): (() => void) => {
      for (const piece of pieces) give(piece)
      return () => {
        for (const piece of pieces) takeBack(piece)
      }
    },

    bytes: (): number => bytes,
  }
}
