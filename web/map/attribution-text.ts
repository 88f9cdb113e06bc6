// The attribution of a map file, as shown on the map.

const openStreetMap =
  '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">© OpenStreetMap</a>'

/** The usual phrases, longest first. */
const spellings = ['© ', '&copy; ', ''].flatMap((sign) => [
  `${sign}OpenStreetMap contributors`,
  `${sign}OpenStreetMap`,
])

/**
 * The attribution in a map file, with OpenStreetMap as a link: a file with roads is made from it, whether or not it
 * says so. MapLibre itself removes everything but links and emphasis from such a text.
 */
export function attributionOf(metadata: unknown): string {
  const stated =
    typeof metadata === 'object' && metadata !== null && 'attribution' in metadata ? metadata.attribution : ''
  const text = typeof stated === 'string' ? stated.trim() : ''
  if (text === '') return openStreetMap
  const isLinked = text
    .split('</a>')
    .some((part) => part.includes('<a ') && part.slice(part.lastIndexOf('<a ')).includes('OpenStreetMap'))
  if (isLinked) return text
  const named = spellings.find((words) => text.includes(words))
  return named === undefined ? `${text} ${openStreetMap}` : text.replace(named, openStreetMap)
}
