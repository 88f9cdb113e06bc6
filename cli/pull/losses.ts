// What a pull could not import, and why: a closed list of reasons, each with a sentence for the report.
/**
 * `left`: not imported. `note`: imported, but not exactly as it was. `conflict`: changed here, so it was left alone.
 */
const kinds = {
  'id-too-large': ['left', 'Its ID is larger than 9007199254740991.'],
  'not-readable': ['left', 'Its entry in the list cannot be read.'],
  'submitter-id-too-large': ['left', 'The ID of its submitter is larger than 9007199254740991.'],
  'submitter-left': ['left', 'Its submitter has deleted the account here.'],
  'other-trail': ['left', 'The list of one trail shows it with the ID of another.'],
  'image-refused': ['left', 'Its file would be refused as an upload, too.'],
  'other-person': [
    'left',
    'An account here has the ID of its submitter, but was not made by a pull from this server. If it is the same person, use --same-people.',
  ],
  'gpx-refused': ['left', 'Its GPX would be refused as an upload, too.'],
  'not-found': ['left', 'The other server has nothing at this address. Check the URL and the ID.'],
  'too-large': ['left', 'It is larger than the limits here allow.'],
  unanswered: ['left', 'The other server did not send a usable response.'],
  'asked-twice': ['left', 'The pull was stopped twice while asking for it. The next pull asks again.'],
  'list-unreadable': ['left', 'The list cannot be read.'],
  'token-refused': ['left', 'The token gives no access to the routes of this account.'],
  'unknown-account': ['left', 'The other server has no such account.'],
  'trail-unnamed': ['left', 'It has no images, so its name is unknown: give it one with --trails-file.'],
  'trail-refused': ['left', 'Its name or slug cannot be used here.'],
  'id-in-use': ['conflict', 'Something else here has this ID.'],
  'pulled-elsewhere': [
    'conflict',
    'It was pulled from another URL. If that is the same server, use --same-as.',
  ],
  'deleted-here': ['conflict', 'It was deleted here.'],
  'hidden-here': ['conflict', 'It was removed from the list here.'],
  'edited-here': ['conflict', 'It was changed on both servers. It stays as it is here.'],
  'moved-there': [
    'conflict',
    'It is on another trail or belongs to another submitter there. It stays as it is here.',
  ],
  'name-differs-here': ['conflict', 'The account is in use here under another name, which is kept.'],
  'trail-differs-here': ['conflict', 'The trail has another name or slug here, which is kept.'],
  'account-taken': [
    'note',
    'The account existed here before, and is treated as the same person (--same-people).',
  ],
  'original-not-open': ['note', 'The sign-in gives no access to its original. It comes as size lg.'],
  'original-missing': ['note', 'The other server did not send its original. It comes as size lg.'],
  'original-refused': ['note', 'Its original would be refused as an upload. It comes as size lg.'],
  'stays-lg': ['note', 'It was pulled as size lg before, and is not replaced.'],
  'no-longer-there': ['note', 'The other server does not list it any more. It stays here.'],
  'other-type': ['note', 'Its file is of another type than the list says.'],
  'position-dropped': ['note', 'Its position cannot be read.'],
  'characters-replaced': ['note', 'Its texts have characters that XML forbids. They were replaced.'],
  'slug-changed': ['note', 'Its slug cannot be used here, or belongs to another trail. It got another one.'],
  'name-unusable': ['note', 'The display name cannot be used here. The account got another one.'],
  'name-unknown': [
    'note',
    'The display name of the account is unknown. A name made of its ID is used for now.',
  ],
  'address-unusable': ['note', 'The email address cannot be used.'],
  'address-taken': ['note', 'Another account has the email address.'],
  'uploader-differs': ['note', 'addUser differs from displayName. It is not kept.'],
  'time-of-day-unknown': ['note', 'The other server has the dates of routes, but not the time of day.'],
  'order-differs': ['note', 'Routes are listed by time here. The other server has another order.'],
} as const satisfies Record<string, readonly ['left' | 'note' | 'conflict', string]>

export type LossCode = keyof typeof kinds

export interface Loss {
  readonly what: 'trail' | 'image' | 'account' | 'route' | 'routes'
  /** As the other server wrote it. */
  readonly id: string
  readonly trailID?: number
  readonly code: LossCode
  /** For people. */
  readonly why: string
  /** It was not imported, and is not requested again in this pull. */
  readonly isLeft: boolean
}

/** @param detail a sentence with further details. */
export function lossOf(code: LossCode, of: Pick<Loss, 'what' | 'id' | 'trailID'>, detail?: string): Loss {
  const [kind, sentence] = kinds[code]
  const why = detail === undefined ? sentence : `${sentence} ${detail}`
  return { ...of, code, why, isLeft: kind === 'left' }
}

export const kindOf = (code: LossCode): 'left' | 'note' | 'conflict' => kinds[code][0]
