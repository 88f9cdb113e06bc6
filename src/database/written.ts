// Which cached answers a write may change.
//
// Nothing has to be declared: the table of a statement says what it may change, and the answer is `everything` unless
// more is known. Only events narrow it (events/outbox.ts): the transaction that records one changes what the event is
// about. So a write that is not described drops too much, never too little.
import { CompiledQuery } from 'kysely'
import { remembering } from '../shared/bounded-cache.ts'
import type { Change, Tag } from '../commits.ts'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

/**
 * What a write to the table may change of cached answers. `events`: only what the events of its transaction name, or
 * everything if there is none. `places`: the same, and every square of the map.
 */
type Effect = 'nothing' | 'events' | 'places' | 'credentials' | 'feed' | 'routes' | 'everything'

const effects: Readonly<Record<keyof Schema, Effect>> = {
  account: 'everything',
  account_trail: 'everything',
  api_key: 'credentials',
  audit: 'nothing',
  brand_file: 'nothing', // named by a choice, which is written with it
  choice: 'everything',
  claim: 'nothing',
  consent: 'nothing',
  content: 'nothing', // how a photo is stored shows nowhere
  counter: 'nothing', // positions, leases and counts; the rows that are counted have their own entry here
  delivery: 'nothing',
  delivery_attempt: 'nothing',
  external_identity: 'nothing',
  image: 'events',
  image_distance: 'nothing',
  image_hash: 'nothing',
  image_history: 'events',
  installation_fact: 'nothing',
  oauth_client: 'everything',
  oauth_client_origin: 'everything',
  oauth_object: 'credentials',
  map_square: 'nothing', // maintained by triggers on images, whose events say it
  near_pair: 'nothing',
  one_time: 'nothing',
  outbox: 'feed',
  passkey: 'credentials',
  public_route: 'routes', // the list of them
  pulled: 'nothing', // told by what is stored with it
  rate_window: 'nothing',
  read_only: 'everything',
  rendition: 'everything',
  report: 'nothing',
  retry: 'nothing',
  route: 'events',
  route_gpx: 'events',
  route_shown: 'routes', // made from route and zones at the first request, and missing until then
  route_trail: 'routes',
  session: 'credentials',
  signing_key: 'nothing',
  trail: 'everything',
  trail_gram: 'nothing', // maintained by triggers on trails
  trail_line: 'everything',
  trail_routed: 'nothing', // a work queue
  webhook: 'nothing',
  zone: 'everything',
  zone_set: 'everything',
}

/** What an insert changes, if that is less than for other writes: nobody has seen what did not exist. */
const ofInsert: Readonly<Partial<Record<keyof Schema, Effect>>> = {
  rendition: 'nothing', // a size that is made at its first request
  account: 'nothing',
  session: 'nothing', // nor has anybody tried a secret that was just generated
  api_key: 'nothing',
  oauth_object: 'nothing',
}

/** What a deletion changes, if that is less. */
const ofDelete: Readonly<Partial<Record<keyof Schema, Effect>>> = {
  rendition: 'nothing', // the same bytes lie elsewhere, or are made again
}

/** What an update of the column changes, if that is less; of several columns, if it is the same for all. */
const ofColumn: Readonly<Partial<Record<keyof Schema, Readonly<Record<string, Effect>>>>> = {
  trail: { version: 'events', measured_version: 'nothing', climb_version: 'nothing' },
  account: {
    image_bytes: 'events',
    route_count: 'events',
    route_bytes: 'events',
    trusted_at: 'events',
    device_epoch: 'events',
  },
  api_key: { last_used_at: 'nothing' },
  public_route: { has_trails: 'nothing' }, // a work queue
  session: { last_seen_at: 'nothing' },
  rendition: { webp: 'nothing' }, // sizes that there were not before
}

const isTable = (name: string): name is keyof Schema => Object.hasOwn(effects, name)

/** What the updated columns change; undefined if that is not known to be less, or the value is not simple. */
function effectOfColumns(table: keyof Schema, text: string): Effect | undefined {
  const from = text.indexOf(' set ')
  const to = text.indexOf(' where ')
  if (from < 0 || to < from) return undefined
  const assignments = text.slice(from + ' set '.length, to).split(',')
  const columns = assignments.map((assignment) => /^\s*"?(\w+)"? = /.exec(assignment)?.[1] ?? '')
  const [effect, ...others] = new Set(columns.map((column) => ofColumn[table]?.[column]))
  return others.length === 0 ? effect : undefined
}

function effectOf(text: string): Effect {
  const [, verb = '', table = ''] = /^\s*(select|insert into|update|delete from)\b ?"?(\w*)/i.exec(text) ?? []
  if (verb.toLowerCase() === 'select') return 'nothing'
  if (!isTable(table)) return 'everything'
  const otherwise = effects[table]
  if (verb.toLowerCase() === 'insert into')
    return /\bdo update\b/i.test(text) ? otherwise : (ofInsert[table] ?? otherwise)
  if (verb.toLowerCase() === 'delete from') return ofDelete[table] ?? otherwise
  // An event names the current square of a photo, not the previous one.
  if (table === 'image' && verb.toLowerCase() === 'update' && /\bcell\b/i.test(text)) return 'places'
  return (verb.toLowerCase() === 'update' ? effectOfColumns(table, text) : undefined) ?? otherwise
}

const maxTexts = 500
/** What touches more than this touches everything: a message to other nodes has an end. */
const maxTags = 300

/** No statement: the drivers take it, and no database sees it. */
const touchText = 'touch'

export const isTouch = ({ sql }: Pick<CompiledQuery, 'sql'>): boolean => sql === touchText

/** Says what the events of the transaction are about. */
export async function touch(tx: Tx, tags: readonly Tag[]): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(touchText, [...tags]))
}

export interface Written {
  /** @returns true if the statement was only for this, and has been handled. */
  note(query: Pick<CompiledQuery, 'sql' | 'parameters'>): boolean
  /** What all noted statements together may have changed. */
  change(): Change
}

/** Gathers what a transaction writes. */
export type BeginWritten = () => Written

export function createBeginWritten(): BeginWritten {
  const effectOfText = remembering<Effect>(maxTexts, effectOf)
  return () => {
    const tags = new Set<string>()
    let isEverything = false
    let awaitsEvent = false
    let hasEvent = false
    return {
      note: ({ sql, parameters }) => {
        if (sql === touchText) {
          hasEvent = true
          for (const tag of parameters) tags.add(String(tag))
          return true
        }
        const effect = effectOfText(sql)
        if (effect === 'everything') isEverything = true
        else if (effect === 'events' || effect === 'places') awaitsEvent = true
        else if (effect !== 'nothing') tags.add(effect)
        if (effect === 'places') tags.add('squares')
        return false
      },
      change: () => (isEverything || (awaitsEvent && !hasEvent) || tags.size > maxTags ? 'everything' : tags),
    }
  }
}
