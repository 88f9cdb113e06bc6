// What the notification of a commit says: who committed, what may have changed, and which pending rows were numbered.
import type { Change } from '../../commits.ts'

export const commitChannel = 'waymark_commit'

/** PostgreSQL refuses longer ones. */
const maxPayloadLength = 7_900
const goingOn = '+'
const payloadForm = /^[\w:. -]*$/

/**
 * Who committed what: the name of the node, the tags (or `*` for everything), and the tokens that were numbered (`#12`). Nodes
 * before 0.3 send only their name, and treat a token as a tag that nothing depends on.
 */
export function writePayload(self: string, change: Change, ids: readonly number[], goesOn = false): string {
  const tags = change === 'everything' ? '*' : [...change].join(' ')
  const numbered = ids.map((id) => ` #${id}`).join('')
  const next = goesOn ? ` ${goingOn}` : ''
  const isShort = self.length + 1 + tags.length + numbered.length + next.length <= maxPayloadLength
  const sentTags = isShort && payloadForm.test(tags) ? tags : '*'
  return `${self} ${sentTags}${next}${numbered.length < maxPayloadLength / 2 ? numbered : ''}` // otherwise they find out by themselves
}

/** The statement that notifies all other nodes, to be sent before a commit. */
export const notificationOf = (self: string, change: Change): string =>
  `notify ${commitChannel}, '${writePayload(self, change, [])}'`

interface Payload {
  readonly by: string
  readonly change: Change
  /** What was numbered. */
  readonly ids: ReadonlySet<number>
  /** Whether the node that numbered it begins its next batch at once. */
  readonly goesOn: boolean
}

export function readPayload(payload: string): Payload {
  const [by = '', ...words] = payload.split(' ')
  const tags = words.filter((word) => word !== '' && word !== goingOn && !word.startsWith('#'))
  const ids = new Set(words.filter((word) => word.startsWith('#')).map((word) => Number(word.slice(1))))
  const isEverything = words.length === 0 || tags.includes('*')
  return { by, change: isEverything ? 'everything' : new Set(tags), ids, goesOn: words.includes(goingOn) }
}
