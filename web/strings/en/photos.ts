// The texts of the page of one's own photos.
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools) {
  const photos = (count: number) => plural(count, { one: '# photo', other: '# photos' })

  const photoStrings = {
    title: 'My photos',
    lead: 'All photos you have uploaded, and their status.',
    signedOut: 'Sign in to see the status of your photos, edit their details and delete them.',
    add: 'Add photos',
    tabs: {
      all: 'All',
      pending: 'Pending review',
      approved: 'Published',
      rejected: 'Rejected',
      removed: 'Unpublished',
      trash: 'Trash',
    },
    tabsLabel: 'Filter by status',
    search: 'Search your photos',
    searchHint: 'Title, caption or trail',
    view: 'Layout',
    views: { grid: 'Grid', list: 'List' },
    status: {
      pending: 'Pending review',
      approved: 'Published',
      rejected: 'Rejected',
      removed: 'Unpublished',
      edited: 'Edited, pending review',
    } as Readonly<Record<string, string>>,
    untitled: 'Untitled photo',
    select: (title: string) => `Select ${title}`,
    open: (title: string) => `Open ${title}`,
    because: (reason: string, when: string) => `${reason}, ${when}`,
    noReason: 'No reason given',
    again: 'Upload a replacement',
    sentAt: (when: string) => `Uploaded ${when}`,
    results: (count: number) => `${photos(count)} shown`,
    empty: {
      all: {
        title: 'No photos yet',
        detail: 'Add photos of your last walk. You can check where each one was taken before you upload it.',
      },
      pending: {
        title: 'Nothing pending review',
        detail: 'New photos appear here until they are reviewed.',
      },
      approved: {
        title: 'No published photos yet',
        detail: 'Approved photos appear in the gallery of their trail.',
      },
      rejected: {
        title: 'No rejected photos',
        detail: 'If a photo is rejected, it appears here with the reason, and you can upload a replacement.',
      },
      removed: {
        title: 'No unpublished photos',
        detail: 'Photos that reviewers unpublish appear here.',
      },
      trash: {
        title: 'The trash is empty',
        detail: 'Photos you delete stay here for 30 days and can be restored.',
      },
      search: { title: 'No results', detail: 'Try another search, or show all photos.' },
    },
    showAll: 'Show all',
    bulk: {
      label: 'Actions for selected photos',
      selected: (count: number) => `${photos(count)} selected`,
      all: (count: number) => `Select all ${count}`,
      none: 'Clear',
      caption: 'Set a caption',
      delete: 'Delete',
      captionTitle: (count: number) => `Set the caption of ${photos(count)}`,
      captionHint: 'This replaces the current captions. Published photos are reviewed again.',
      apply: (count: number) => `Set caption of ${photos(count)}`,
    },
    done: {
      deleted: (count: number) => `${photos(count)} moved to the trash.`,
      restored: (count: number) => `${photos(count)} restored.`,
      captioned: (count: number) => `Caption set for ${photos(count)}.`,
      putBack: (count: number) => plural(count, { one: 'Caption restored.', other: '# captions restored.' }),
      saved: 'Saved.',
      someFailed: (failed: number, all: number, why: string) =>
        `Could not change ${failed} of ${all}: ${why}`,
    },
    detail: {
      heading: 'Your photo',
      close: 'Close photo',
      caption: 'Caption',
      titleField: 'Title',
      lat: 'Latitude',
      lon: 'Longitude',
      placeHint: 'Decimal degrees, such as 46.52123 and 7.25987. Leave both empty for no location.',
      placeWrong:
        'Enter a latitude between −90 and 90 and a longitude between −180 and 180, or leave both empty.',
      clearPlace: 'Clear location',
      tooLong: (count: number) => `${count} of 256 characters: too long`,
      listedHint: 'The photo stays published; changes to its title or caption are reviewed.',
      pendHint: 'Changes to its title or caption send it back to review.',
      changed:
        'This photo was changed elsewhere. Your text is kept; check the current values and save again.',
      gallery: 'View in the gallery',
      trail: 'Trail',
      sent: 'Uploaded',
      file: 'File',
      licence: 'Licence',
      history: 'History',
      by: (name: string) => `by ${name}`,
      delete: 'Delete',
      missing: 'Photo not found',
      missingDetail: 'If it was deleted, it is in the trash.',
    },
    moves: {
      upload: 'Uploaded',
      pending: 'Reopened',
      approved: 'Published',
      rejected: 'Rejected',
      removed: 'Unpublished',
      deleted: 'Deleted',
    } as Readonly<Record<string, string>>,
    trash: {
      deleted: (when: string) => `Deleted ${when}`,
      byStaff: 'by a reviewer',
      gone: (when: string) => `permanently deleted ${when}`,
      restore: 'Restore',
      restoreOf: (title: string) => `Restore ${title}`,
    },
    keys: {
      next: 'Next photo',
      previous: 'Previous photo',
      open: 'Open photo',
      select: 'Select photo',
      all: 'Select all or none',
      caption: 'Set caption of selected photos',
      delete: 'Delete photo or selected photos',
      view: 'Switch between grid and list',
    },
  }

  return { photoStrings }
}

export type PhotosCatalogue = ReturnType<typeof catalogue>
