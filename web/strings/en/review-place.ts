// The texts of the review desk on where and when a photo was taken.
import type { Image } from '../../../client/client.ts'

export function catalogue() {
  const placeStrings = {
    heading: 'Location',
    map: (title: string) => `Map of where ${title} was taken, with the trail`,
    fromLine: (metres: string) => `${metres} from the trail`,
    onLine: 'On the trail',
    noLine: 'This trail has no line yet.',
    none: 'No location in the photo or from its submitter.',
    sources: {
      exif: 'From the photo',
      track: 'From a track',
      line: 'Placed along the trail',
      device: 'From the device’s location',
      given: 'Entered by hand',
    } satisfies Record<NonNullable<Image['positionSource']>, string>,
    accuracy: (metres: string) => `± ${metres}`,
    isUncertain: (metres: string) =>
      `It may have been taken on the trail: its location is only accurate to ${metres}.`,
    move: 'Move photo',
    set: 'Set location',
    moveOf: (title: string) => `New location of ${title}`,
    moveHint: 'Drag the marker, click the map, or enter decimal degrees.',
    lat: 'Latitude',
    lon: 'Longitude',
    wrong: 'Latitude must be between −90 and 90, longitude between −180 and 180.',
    moveMap: 'Map to choose a location; you can also enter latitude and longitude',
    ask: 'Ask the submitter',
    askHint: (reason: string) =>
      `Rejects the photo with the reason “${reason}”. The submitter can upload it again with a location.`,
    taken: 'Taken',
    zone: 'Time zone',
    zones: {
      stated: 'Stated in the photo',
      position: 'That of the location',
      site: 'Unknown; assumed to be that of this site',
    } satisfies Record<NonNullable<Image['takenAtZone']>, string>,
    direction: 'Direction',
    directionOf: (point: number, degrees: string) =>
      `${['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'][point] ?? ''}, ${degrees}`,
    altitude: 'Altitude',
  }

  return { placeStrings }
}

export type ReviewPlaceCatalogue = ReturnType<typeof catalogue>
