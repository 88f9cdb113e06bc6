// The texts of placing photos that have no location: from a track, along a trail, by the device.
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools) {
  const photos = (count: number) => plural(count, { one: '# photo', other: '# photos' })

  const placingStrings = {
    browse: 'Browse files',
    browseHint: '“Browse files” keeps the location that Android removes from photos you choose.',
    missing: {
      'no-block':
        'No location in the file. The camera saved none, or an app or the phone removed it on the way.',
      'empty-block':
        'The GPS data in the file has no coordinates. The camera had no fix, or they were removed.',
      zeros: 'The location in the file is 0, 0, which means that the camera had no GPS fix.',
      'no-letters':
        'The coordinates in the file lack north or south, east or west, so they could be in several places.',
      'not-a-number':
        'The location in the file is blanked out. Android does this when you choose a photo in the browser.',
      'xmp-only':
        'An app removed the location and left only traces of it in the file (XMP), too little to use.',
      invalid: 'The coordinates in the file are not a place on Earth.',
      unknown: 'No location in the file.',
    },
    panel: {
      label: 'Photos without a location',
      title: (count: number) =>
        plural(count, { one: '# photo has no location', other: '# photos have no location' }),
      lead: (count: number) =>
        plural(count, {
          one: 'Place it here or in the list. You can also upload it without a location.',
          other:
            'Place them together here, or one by one in the list. You can also upload them without a location.',
        }),
      chooserHint: 'On Android, “Choose again” opens a file chooser that keeps the location.',
    },
    remedy: {
      track: 'From a track',
      line: 'On the trail',
      device: 'Where I am now',
      chooser: 'Choose again',
      chooserAll: 'Choose files again',
      ofOne: (remedy: string, name: string) => `${remedy}: ${name}`,
      between: 'Between its neighbours',
      betweenHint: (before: string, after: string) =>
        `Taken within two minutes between ${before} and ${after}.`,
      betweenAll: (count: number) =>
        plural(count, { one: 'Place # between its neighbours', other: 'Place # between their neighbours' }),
    },
    source: {
      track: 'from a track',
      line: 'along the trail',
      device: (accuracy: string) => `your location, within ${accuracy}`,
    },
    placed: (count: number) => plural(count, { one: '# photo placed.', other: '# photos placed.' }),
    placedByDevice: (count: number, accuracy: string) =>
      `${plural(count, { one: '# photo placed', other: '# photos placed' })} where you are, within ${accuracy}.`,
    rematched: (count: number) =>
      plural(count, {
        one: '# photo has its original file now.',
        other: '# photos have their original files now.',
      }),
    rematchedAndAdded: (matched: number, added: number) =>
      `${plural(matched, { one: '# photo has its original file now', other: '# photos have their original files now' })}; ${plural(added, { one: '# file matches none and was added.', other: '# files match none and were added.' })}`,
    device: {
      asking: 'Finding your location…',
      denied:
        'Your location is blocked for this site. Allow it in the site settings of the browser, or place the photo another way.',
      unavailable:
        'This device cannot find its location right now. Try again outdoors, or place the photo another way.',
      timeout: 'Finding your location took too long. Try again, or place the photo another way.',
      unsupported: 'Browsers give your location only to secure pages (https). Place the photo another way.',
      notOnPhoto: (why: string) => `The photo was added without a location. ${why}`,
      tooLate: (count: number) =>
        plural(count, {
          one: 'The photo was uploaded before your location was found.',
          other: '# photos were uploaded before your location was found.',
        }),
      takePhotoHint: 'Taking a photo asks for your location, for photos that have none.',
    },
    track: {
      title: 'Place photos from a track',
      intro: 'Each photo gets the place where you were when it was taken.',
      choose: 'Choose a GPX file',
      another: 'Another track',
      drop: 'or drop it on this page',
      routes: 'Or one of your routes',
      routesPlaceholder: 'Choose a route',
      noRoutes: 'You have no saved routes.',
      routesFailed: 'Your routes could not be loaded. You can still choose a GPX file.',
      notLoaded: 'The track could not be loaded. Check your connection and try again.',
      reading: 'Reading the track…',
      unreadable: (name: string, detail: string) => `${name} could not be read. ${detail}`,
      noTimes: (name: string) =>
        `${name} has no times, so photos cannot be placed by it. Choose a recorded track.`,
      zone: (zone: string) => `Camera clocks without a time zone are read in the track’s, ${zone}.`,
      clock: 'Camera clock correction',
      clockHint: 'If your camera’s clock was wrong, move the photos until they are where you took them.',
      noCorrection: 'none',
      hourBack: 'One hour back',
      hourBackShort: '−1 h',
      hourOn: 'One hour forward',
      hourOnShort: '+1 h',
      reset: 'Reset',
      suggestion: (offset: string, count: number) => `${offset} would place ${photos(count)}`,
      suggestionLead: 'Camera set to another time zone?',
      result: (placed: number, total: number) => `${placed} of ${photos(total)} on the track`,
      outside: (count: number) =>
        plural(count, { one: '# photo is not on the track', other: '# photos are not on the track' }),
      noTime: 'no time in the file',
      tooEarly: (time: string) => `${time} before the track begins`,
      tooLate: (time: string) => `${time} after the track ends`,
      inGap: (time: string) => `${time} from the nearest point of the track`,
      apply: (count: number) => (count === 0 ? 'Place photos' : `Place ${photos(count)}`),
      noPhotos: 'There is no photo without a location. Add photos to place them by this track.',
      mapLabel: 'Map of the track and the photos on it; the text below says how many are placed',
    },
    line: {
      title: 'Place photos on the trail',
      introOne: 'Tap or click the trail where the photo was taken, or move the slider.',
      introMany:
        'Tap or click where the first and the last photo were taken, or move the sliders. The others are spread between them in order of time.',
      at: 'Position along the trail',
      from: 'First photo',
      to: 'Last photo',
      along: (distance: string, total: string) => `${distance} of ${total}`,
      others: (count: number) =>
        plural(count, {
          one: '# photo of another trail is not included.',
          other: '# photos of other trails are not included.',
        }),
      noPhotos: 'There is no photo without a location any more.',
      noTrail: 'Choose a trail for the photos first.',
      noLine: (trail: string) =>
        `${trail} has no line on the map yet. Place the photos from a track or one by one.`,
      failed: 'The trail could not be loaded. Try again, or place the photos another way.',
      loading: 'Loading the trail…',
      apply: (count: number) => `Place ${photos(count)}`,
      mapLabel: 'Map of the trail and the photos on it; the sliders below do the same',
    },
    keys: {
      track: 'Place photos from a track',
      line: 'Place photos on the trail',
      device: 'Place photos where I am now',
    },
  }

  return { placingStrings }
}

export type PlacingCatalogue = ReturnType<typeof catalogue>
