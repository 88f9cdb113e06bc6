// The keys of review reasons at the desk. Those of a reason that is added at the end move no other: `other` is always 0,
// whatever stands before it; the rest have 1 to 9 in their order, and then letters.

/** Without a meaning of their own at the desk: whoever thinks to be there still decides nothing by one of them. */
const letters = 'bfilmpqvwy'
const inOrder = `123456789${letters}`
const ofOther = '0'

/** @returns the key of each; undefined where there are no more: such a reason is chosen by hand. */
export function keysOfReasons(codes: readonly string[]): (string | undefined)[] {
  const others = codes.filter((code) => code !== 'other')
  return codes.map((code) => (code === 'other' ? ofOther : inOrder[others.indexOf(code)]))
}
