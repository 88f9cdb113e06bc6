// Finds plans that scan a table, and lists the few that are allowed, with reasons.

const ordered = 'it walks an index in order, and its limit ends the walk'
const ofTrails = 'there are ten thousand trails at most, and no order or index serves a search within boxes'
const ofCharacter =
  'it walks an index in order, and most single characters are in so many names that its limit ends it'
const ofAccounts = 'a search within words, by admins alone: no index serves it'
const partial = 'the index holds only these few'

/** By description in query-plans.ts and table: why the scan does no harm. */
export const whyScanned: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'v2, staff: all images': { image: ordered },
  'v2: taken on some days': { image: 'it walks an index in order, some thousand rows at a time' },
  trails: { trail: ordered },
  'trails: by a single character': { trail: ofCharacter },
  'trails: within a box': { trail: ofTrails },
  'public routes: the first page': { place: ordered },
  'trails of routes: those that changed': { trail: ofTrails },
  'trails of routes: routes in a box': {
    public_route: 'an index alone, in the background, once for each new line',
  },
  'trails of routes: trails near it': { trail: ofTrails },
  'trails: who is limited to one': {
    account_trail: 'there are few reviewers, and trails are seldom deleted',
  },
  'accounts: by words': { account: ofAccounts },
  'accounts: suspended ones': { account: ofAccounts },
  'events: when the newest was': { outbox: ordered },
  'webhooks: all that hear': { webhook: 'there are few, and all of them are asked for' },
  'the map: around all trails': { trail: 'one row of numbers of each trail, by admins alone' },
  'the audit of a week': {
    audit: 'walked from its newest end, by admins alone; it grows with sign-ins and changes, not with photos',
  },
  'pull: the servers that were pulled from': {
    pulled: 'once in a pull that names another URL of the server (--same-as)',
  },
  'storage: bytes of all originals': { account: 'one number of each account, by admins alone' },
  'the sweep: leftovers of a crash': { content: partial },
  'the sweep: contents whose deletion was interrupted': { content: partial },
  'older photos: how many are': {
    content: 'the index holds what an upgrade has left to do, for admins alone',
  },
  'leaving: what belongs to the account': { claim: 'claims end within minutes' },
  'mails: who was told': { counter: 'a few rows, and one for each submitter who was told lately' },
}

/** Temporary results of a query, as named in plans. */
const made = new Set(['page', 'part', 'near', 'twins', 'open', 'counted', 'sought'])

export interface Scan {
  readonly question: string
  readonly table: string
}

/** @param plans from `describePlans`. */
export function scansOf(plans: string): Scan[] {
  return plans.split('\n\n').flatMap((section) => {
    const question = /^# (.*)$/m.exec(section)?.[1] ?? ''
    const tables = [...section.matchAll(/^ +SCAN ([a-z_]\w*)/gm)].map(([, table = '']) => table)
    return [...new Set(tables)].filter((table) => !made.has(table)).map((table) => ({ question, table }))
  })
}
