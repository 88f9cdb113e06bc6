// The keys of review reasons at the desk. A reason added at the end changes no other key: `other` is always 0; the rest
// have 1 to 9 in order, and then letters.

/** Letters without another meaning at the desk, so that a mistyped reason key does not decide anything. */
const letters = 'bfilmpqvwy'
const inOrder = `123456789${letters}`
const ofOther = '0'

/** @returns the key of each; undefined if there are none left: such a reason is chosen by mouse or Tab. */
export function keysOfReasons(codes: readonly string[]): (string | undefined)[] {
  const others = codes.filter((code) => code !== 'other')
  return codes.map((code) => (code === 'other' ? ofOther : inOrder[others.indexOf(code)]))
}
