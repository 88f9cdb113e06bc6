// Whose data a map file is, as it is written on the map.

const openStreetMap =
  '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">© OpenStreetMap</a>'

/**
 * What a map file says of its makers, with OpenStreetMap as a link: of them is what a file of roads is made of, whether or
 * not it says so. MapLibre itself takes out of such a text whatever is no link and no emphasis.
 */
export function attributionOf(metadata: unknown): string {
  const said =
    typeof metadata === 'object' && metadata !== null && 'attribution' in metadata ? metadata.attribution : ''
  const text = typeof said === 'string' ? said.trim() : ''
  if (text === '') return openStreetMap
  // The words as they are mostly written, within a link or not.
  const isLinked = /<a\b[^>]*>[^<]*OpenStreetMap/i.test(text)
  if (isLinked) return text
  const bare = /(?:©|&copy;|\(c\))?\s*OpenStreetMap(?: contributors)?/i
  return bare.test(text) ? text.replace(bare, openStreetMap) : `${text} ${openStreetMap}`
}
