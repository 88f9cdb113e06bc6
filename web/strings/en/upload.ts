// The texts of the page that sends photos, and of what happens to them on the way.
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools) {
  const photos = (count: number) => plural(count, { one: '# photo', other: '# photos' })

  const uploadStrings = {
    title: 'Add photos',
    lead: 'Photos you took along a trail. Every photo is reviewed before it is published.',
    signedOut:
      'Sign in, then drop your photos here. You can check where each one was taken before you upload it, and no photo is lost if your connection drops.',
    waitingHere: (count: number) =>
      plural(count, {
        one: '# photo is waiting on this device. Sign in to upload it.',
        other: '# photos are waiting on this device. Sign in to upload them.',
      }),
    leadAgain: (title: string) => `Replacing “${title}”. Title and caption are copied; you can edit them.`,
    drop: 'Drop photos or folders anywhere on this page',
    dropHint: (max: string) =>
      `or paste them. JPEG, PNG, GIF, BMP, HEIC, AVIF and WebP up to ${max}; others are converted here where possible.`,
    dropNow: 'Drop to add',
    choose: 'Choose photos',
    chooseFolder: 'Choose a folder',
    takePhoto: 'Take a photo',
    sources: 'Add photos from',
    trail: 'Trail',
    trailHint: 'Used for the photos you add here. You can change it for each photo.',
    trailPlaceholder: 'Search trails by name',
    noTrail: 'Choose a trail first',
    trailNotChosen: (present: string | undefined) =>
      present === undefined
        ? 'Choose a trail from the list first.'
        : `Choose a trail from the list, or press Escape to keep ${present}.`,
    licence: 'Photos are published under',
    terms: 'By uploading, you agree to these terms',
    termsMore: 'Read more',
    summary: 'Upload queue',
    send: (count: number) => `Upload ${photos(count)}`,
    sendTo: (count: number, trail: string) => `Upload ${photos(count)} to ${trail}`,
    sendToSeveral: (count: number, trails: number) => `Upload ${photos(count)} to ${trails} trails`,
    notSentTooLong: (count: number) => `${photos(count)} not uploaded: title or caption too long.`,
    pauseAll: 'Pause all',
    resumeAll: 'Resume all',
    retryAll: (count: number) => `Retry failed (${count})`,
    clearDone: (count: number) => `Clear uploaded (${count})`,
    clearFailed: (count: number) => `Remove failed (${count})`,
    fill: 'Bulk edit',
    overall: 'All photos',
    counts: {
      checking: (count: number) => `${count} being checked`,
      asking: (count: number) =>
        plural(count, { one: '# needs your decision', other: '# need your decision' }),
      ready: (count: number) => `${count} ready`,
      underWay: (count: number) => `${count} uploading`,
      paused: (count: number) => `${count} paused`,
      done: (count: number) => `${count} uploaded`,
      failed: (count: number) => `${count} failed`,
    },
    sentOf: (sent: string, total: string) => `${sent} of ${total}`,
    waitingForConnection: 'waiting for a connection',
    remaining: (time: string) => `about ${time} left`,
    leave: 'You can leave this page. Unfinished uploads stay in this browser and resume when you return.',
    leaveNot: 'This browser has no space to store these photos. Keep the page open until they are uploaded.',
    otherTab: 'Another tab is uploading. Changes you make here apply there too.',
    ofOthers: (count: number) =>
      plural(count, {
        one: '# photo of another account is queued in this browser. Sign in to that account to upload it.',
        other:
          '# photos of another account are queued in this browser. Sign in to that account to upload them.',
      }),
    list: 'Photos',
    mapLabel: 'Map of where your photos were taken; the list shows the same places',
    state: {
      checking: 'Checking',
      asking: 'Needs your decision',
      converting: 'Converting',
      unusable: 'Cannot be uploaded',
      ready: 'Ready',
      queued: 'Queued',
      waitsForConnection: 'Offline. Resumes automatically.',
      waitsForServer: 'Server busy. Retries automatically.',
      sending: 'Uploading',
      processing: 'Processing',
      paused: 'Paused',
      done: 'Uploaded',
      refused: 'Upload failed',
    },
    status: {
      pending: 'It is pending review.',
      approved: 'It is published.',
      rejected: 'It was rejected.',
      removed: 'It was unpublished.',
    } as Readonly<Record<string, string>>,
    question: {
      convert: (kind: string) =>
        `Not every browser can show ${kind}. It can be converted to JPEG here. Location and date are kept; other metadata is removed.`,
      shrinkBytes: (bytes: string, max: string) =>
        `This file is ${bytes}; the limit is ${max}. It can be made smaller here. Location and date are kept; other metadata is removed.`,
      shrinkPixels:
        'This photo has too many pixels. It can be made smaller here. Location and date are kept; other metadata is removed.',
      twice: (name: string) => `Same photo as ${name}, which is already in this list.`,
      sentBefore: (status: string) => `You already uploaded this photo. ${status}`.trim(),
      accept: { convert: 'Convert', shrink: 'Make smaller', duplicate: 'Upload anyway' },
      acceptAll: (count: number) => `Convert all ${count}`,
      look: 'View it',
    },
    converted: (kind: string, before: string, after: string) =>
      `Converted from ${kind} (${before}) to JPEG (${after})`,
    facts: {
      place: 'Location',
      noPlace: 'No location in the file',
      placeFromFile: 'from the photo',
      placeByHand: 'set by you',
      placeHidden: 'removed',
    },
    row: {
      title: 'Title',
      caption: 'Caption',
      titleOf: (name: string) => `Title of ${name}`,
      captionOf: (name: string) => `Caption of ${name}`,
      tooLong: (count: number, max: number) => `${count} of ${max} characters: too long`,
      changeOf: (name: string) => `Location and trail of ${name}`,
      pause: (name: string) => `Pause ${name}`,
      resume: (name: string) => `Resume ${name}`,
      retry: 'Try again',
      retryOf: (name: string) => `Try again: ${name}`,
      replace: 'Replace file',
      replaceOf: (name: string) => `Replace file: ${name}`,
      remove: (name: string) => `Remove ${name}`,
      cancel: (name: string) => `Cancel the upload of ${name}`,
      locked: 'Details are already being saved. You can edit them once the upload finishes.',
      progress: (name: string) => `Upload progress of ${name}`,
      inPhotos: 'View in My photos',
    },
    place: {
      locked: 'Location read from the photo.',
      none: 'This photo has no location.',
      override: 'Change location',
      set: 'Set location',
      lat: 'Latitude',
      lon: 'Longitude',
      hint: 'Decimal degrees, such as 46.52123 and 7.25987. Or click the map.',
      wrong: 'Latitude must be between −90 and 90, longitude between −180 and 180.',
      hide: 'Upload without location',
      back: 'Use the location in the photo',
      apply: 'Use this location',
      mapLabel: 'Map to choose a location; you can also enter latitude and longitude',
    },
    bulk: {
      title: 'Bulk edit',
      intro: 'Applies to every photo that is not uploaded yet.',
      pattern: 'Title',
      caption: 'Caption',
      hint: 'Placeholders: {n} is a number, {name} the file name, {date} the date taken, {trail} the trail.',
      onlyEmpty: 'Keep existing text',
      apply: (count: number) => `Update ${photos(count)}`,
      preview: (text: string) => `Preview: “${text}”`,
      tooLong: (count: number) => `${count} would exceed 256 characters. Shorten the text.`,
      done: (count: number) => `${photos(count)} updated.`,
    },
    hold: {
      'sign-in': {
        title: 'Your session has expired',
        detail: 'Nothing is lost. Sign in again to continue.',
        action: 'Sign in again',
      },
      'other-account': {
        title: 'Signed in to another account',
        detail:
          'These photos belong to the account that added them. Reload the page to see the photos of the current account.',
        action: 'Reload',
      },
      'other-terms': {
        title: 'The terms have changed',
        detail:
          'The new terms are shown above. Nothing was uploaded under them. Upload again once you agree.',
        action: 'I have read the terms',
      },
      quota: { title: 'Upload limit reached', detail: '', action: 'Try again' },
    },
    removed: (count: number) => `${photos(count)} removed.`,
    removedOnTheWay: 'Removed. If the upload had already finished, the photo is in My photos.',
    tray: {
      label: 'Uploads',
      sending: (done: number, total: number) => `Uploading photos: ${done} of ${total}`,
      stopped: 'Uploads are waiting',
    },
    announce: {
      done: (count: number) => `${photos(count)} uploaded`,
    },
    keys: {
      choose: 'Choose photos',
      folder: 'Choose a folder',
      send: 'Upload ready photos',
      pause: 'Pause or resume all',
      fill: 'Bulk edit',
      next: 'Next photo',
      previous: 'Previous photo',
      title: 'Edit title',
      place: 'Edit location and trail',
      remove: 'Remove photo',
    },
    unusable: {
      'no-photo': {
        title: 'Not a supported photo',
        detail: () => 'The file is not a JPEG, PNG, GIF, BMP, HEIC, AVIF, WebP or TIFF.',
      },
      empty: { title: 'The file is empty', detail: () => 'Copy it again from its source.' },
      unreadable: {
        title: 'The file could not be read',
        detail: () => 'It may have been moved or deleted. Choose it again.',
      },
      undecodable: {
        title: 'This browser cannot convert it',
        detail: (kind: string) =>
          `${kind} must be converted, and this browser cannot open it. Save it as JPEG and choose that file instead.`,
      },
      'too-large': {
        title: 'The photo is too large',
        detail: () =>
          'This browser cannot open it to make it smaller. Save it with fewer pixels and choose that file instead.',
      },
    },
  }

  return { uploadStrings }
}

export type UploadCatalogue = ReturnType<typeof catalogue>
