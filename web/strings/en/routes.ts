// The texts of My routes and of a route's page.
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools) {
  const routeStrings = {
    title: 'My routes',
    lead: 'Routes you planned or recorded. Only you can see them until you share them.',
    draw: 'Draw a route',
    import: 'Import GPX files',
    importing: (count: number) => plural(count, { one: 'Importing file…', other: 'Importing # files…' }),
    dropHere: 'Drop the GPX files anywhere',
    emptyTitle: 'No routes yet',
    emptyDetail: 'Draw one on the map, or import one or more GPX files from your watch, phone or planner.',
    nothingFound: 'No matching routes',
    nothingFoundDetail: 'The search covers names and descriptions.',
    searchLabel: 'Search routes',
    list: 'Routes',
    more: 'Show more',
    unnamed: 'Unnamed route',
    points: (count: number, text: string) => plural(count, { one: '1 point', other: `${text} points` }),
    climb: (height: string) => `${height} ascent`,
    duplicate: 'Has the same points as another of your routes',
    unreadable: 'The GPX cannot be read',
    sketch: (name: string) => `Outline of ${name}`,
    visibility: { private: 'Only me', link: 'Anyone with the link', public: 'Everybody' },
    visibilityOf: (name: string) => `Who can see ${name}`,
    visibilityChanged: {
      private: 'Only you can see it now.',
      link: 'Anyone with the link can see it now.',
      public: 'Everybody can see it now, and find it under Routes.',
    },
    endLinkTitle: 'Disable the link?',
    endLinkDetail:
      'The current link stops working permanently. If you share the route by link again, it gets a new one.',
    endLink: 'Disable link',
    copyLink: 'Copy link',
    linkUnknown:
      'The link to this route still works, but it can no longer be shown: links are now stored as hashes. You can create a new link here; the old one then stops working.',
    newLink: 'Create new link',
    newLinkMade: 'New link created. The old one no longer works.',
    actionsOf: (name: string) => `Actions for ${name}`,
    open: 'Open',
    edit: 'Edit',
    downloadGpx: 'Download GPX',
    downloadOriginal: 'Download original',
    downloadGeoJson: 'Download GeoJSON',
    delete: 'Delete',
    deleteTitle: (name: string) => `Delete “${name}”?`,
    deleteDetail: 'A deleted route cannot be restored. You may want to download it first.',
    deleted: (name: string) => `“${name}” deleted.`,
    resultsTitle: 'Import results',
    resultsSummary: (good: number, bad: number) =>
      bad === 0 ? `${good} imported.` : `${good} imported, ${bad} failed.`,
    resultDuplicate: 'Imported; another of your routes has the same points',
    resultWarnings: (count: number) =>
      plural(count, { one: 'Imported with # warning', other: 'Imported with # warnings' }),
    resultGood: 'Imported',
    resultFailed: 'Failed',
    tooLong: (file: string, max: string) =>
      `${file} exceeds the limit of ${max} for a route. Open it in the editor to simplify it.`,
    about: 'About this route',
    by: (name: string) => `By ${name}`,
    length: 'Length',
    measured: 'Measured',
    climbFact: 'Ascent',
    descentFact: 'Descent',
    pointsFact: 'Points',
    made: 'Added',
    changed: 'Changed',
    start: 'Start',
    end: 'End',
    map: 'Map of the route',
    profileLabel: (low: string, high: string, climb: string) =>
      `Elevation along the route: from ${low} to ${high}${climb === '' ? '' : `, ascent ${climb}`}.`,
    noProfile: 'This route has no elevation data.',
    noLine: 'This route has no line.',
    downloads: 'Download',
    embed: 'Embed on another website',
    embedDetail: 'Paste this snippet into your page. It shows the line, name and length.',
    embedCopy: 'Copy snippet',
    share: 'Share',
    previewOn: 'View as others',
    previewOff: 'Back to my view',
    previewNotice:
      'This is what others see: nothing from the file that you do not share, and nothing that your privacy zones hide.',
    privateNotice: 'Only you can see this route.',
    warnings: 'Warnings about the file',
    notFound: 'Route not found',
    notFoundDetail: 'It may be private or deleted, or its link may have been disabled.',
  }

  return { routeStrings }
}

export type RoutesCatalogue = ReturnType<typeof catalogue>
