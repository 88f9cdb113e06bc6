// The texts of the page of trails.
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools) {
  const photos = (count: number, text: string) => plural(count, { one: '1 photo', other: `${text} photos` })

  const trailStrings = {
    title: 'Trails',
    counts: (trails: number, trailsText: string, photoCount: number, photosText: string) =>
      `${plural(trails, { one: '1 trail', other: `${trailsText} trails` })}, ${photos(photoCount, photosText)}`,
    search: 'Search trails',
    searchPlaceholder: 'Trail name',
    photos,
    noLine: 'No line yet',
    list: 'List',
    map: 'Map',
    view: 'List or map',
    mapLabel: 'Map of trails; the list shows the same trails',
    searchHere: 'Search this area',
    inArea: 'In the map area',
    anywhere: 'Search everywhere',
    loading: 'Loading trails…',
    more: 'More trails',
    toFirst: 'Back to the first trails',
    found: (count: number, text: string) =>
      plural(count, { one: '1 trail found', other: `${text} trails found` }),
    noneYet: 'No trails yet',
    noneYetAdmin: 'Import your trails from a CSV or GeoJSON file. Photos are then added to these trails.',
    noneYetOthers: 'The site administrators have not added any trails yet. Come back soon.',
    importTrails: 'Import trails',
    noMatch: 'No matching trails',
    noMatchDetail: 'Try part of the name, or search everywhere.',
    clear: 'Show all trails',
    closeCard: 'Close',
    chosen: 'Selected on the map',
    toggleMap: 'Switch between list and map (narrow windows)',
  }

  return { trailStrings }
}

export type TrailsCatalogue = ReturnType<typeof catalogue>
