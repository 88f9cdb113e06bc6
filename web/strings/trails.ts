// The words of the page of trails.
const photos = (count: number, text: string) => (count === 1 ? '1 photo' : `${text} photos`)

export const trailStrings = {
  title: 'Trails',
  counts: (trails: number, trailsText: string, photoCount: number, photosText: string) =>
    `${trails === 1 ? '1 trail' : `${trailsText} trails`}, ${photos(photoCount, photosText)}`,
  search: 'Search trails',
  searchPlaceholder: 'Name of a trail',
  photos,
  noLine: 'No line yet',
  list: 'List',
  map: 'Map',
  view: 'List or map',
  mapLabel: 'Map of the trails; the list beside it has the same trails',
  searchHere: 'Search this area',
  inArea: 'In the area of the map',
  anywhere: 'Search everywhere',
  loading: 'The trails are on their way',
  found: (count: number, text: string) => (count === 1 ? '1 trail found' : `${text} trails found`),
  noneYet: 'No trails yet',
  noneYetAdmin: 'Import your trails from a CSV or GeoJSON file; photos and routes find their places on them.',
  noneYetOthers: 'The people who run this site add the trails. Come back soon.',
  importTrails: 'Import trails',
  noMatch: 'No trail matches',
  noMatchDetail: 'Try a part of its name, or search everywhere.',
  clear: 'Show all trails',
  closeCard: 'Close the card',
  chosen: 'Chosen on the map',
  toggleMap: 'List or map (narrow windows)',
} as const
