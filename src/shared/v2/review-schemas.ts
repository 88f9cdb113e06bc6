// TypeBox schemas of review beyond the single decision: many at once, undo, claims, reasons, history (contract, Part D).
import { Type, type Static } from 'typebox'
import { decidedStates, decisions, imageStates } from '../image-states.ts'
import { ReviewDecision } from './schemas.ts'
import { openEnum, pageOf, strict, textOrNull, timestamp } from './schema-parts.ts'
import { lineRule, openapiOnly } from './openapi-rules.ts'

export const maxAtOnce = 500

const ids = Type.Array(Type.Integer(), {
  minItems: 1,
  maxItems: maxAtOnce,
  description: `imageIDs, at most ${maxAtOnce}.`,
})
const { reason, note, decision } = ReviewDecision.properties

const ItemProblem = Type.Object(
  { type: Type.String(), title: Type.String(), status: Type.Integer(), detail: Type.String() },
  { ...strict, description: 'Why this image was refused; the others are not affected.' },
)
const Refused = Type.Object(
  { imageID: Type.Integer(), problem: ItemProblem },
  { ...strict, title: 'Refused' },
)
export type Refused = Static<typeof Refused>

export const BulkDecision = Type.Object({ ids, decision, reason, note }, { ...strict, title: 'BulkDecision' })

const Decided = Type.Object(
  {
    imageID: Type.Integer(),
    status: openEnum(decidedStates, 'Its new state.'),
  },
  strict,
)
export type Decided = Static<typeof Decided>
export const BulkResults = Type.Object(
  { results: Type.Array(Type.Union([Decided, Refused]), { description: 'In the order of the IDs.' }) },
  { ...strict, title: 'BulkResults' },
)

export const UndoRequest = Type.Object(
  {
    note,
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Position of the move to undo, from the history; if it is not the last move, nothing is undone.',
      }),
    ),
  },
  { ...strict, title: 'UndoRequest' },
)

export const ClaimRequest = Type.Object(
  {
    ids,
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 10 })),
    takeOver: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also take over images that another reviewer has claimed.',
      }),
    ),
  },
  { ...strict, title: 'ClaimRequest' },
)
const Claimed = Type.Object(
  { imageID: Type.Integer(), claimedUntil: timestamp('When the claim expires.') },
  strict,
)
export type Claimed = Static<typeof Claimed>
export const ClaimResults = Type.Object(
  { results: Type.Array(Type.Union([Claimed, Refused]), { description: 'In the order of the IDs.' }) },
  { ...strict, title: 'ClaimResults' },
)

const code = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' })
const label = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The text that people see.',
  ...openapiOnly(lineRule),
})
const decisionWord = openEnum(decisions, 'A decision that the reason applies to.', 'ReasonDecision')

const ReviewReason = Type.Object({ code, label, decisions: Type.Array(decisionWord) }, strict)
export const ReviewReasonSet = Type.Object(
  { items: Type.Array(ReviewReason), next: Type.Null() },
  { ...strict, title: 'ReviewReasonSet' },
)
export const ReviewReasons = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { code, label, decisions: Type.Optional(Type.Array(decisionWord, { minItems: 1, maxItems: 5 })) },
        strict,
      ),
      {
        minItems: 1,
        maxItems: 50,
        description:
          'The complete list, in display order. A reason without decisions applies to reject and remove.',
      },
    ),
  },
  { ...strict, title: 'ReviewReasons' },
)

export const HistoryEntry = Type.Object(
  {
    position: Type.Integer({ description: 'Position of the event of this move.' }),
    at: timestamp('When it happened.'),
    actor: Type.Unsafe<{ acctID: number; displayName: string } | null>({
      type: ['object', 'null'],
      properties: { acctID: { type: 'integer' }, displayName: { type: 'string' } },
      required: ['acctID', 'displayName'],
      additionalProperties: false,
      description: 'Who did it. For submitters who are not staff, null unless they did it themselves.',
    }),
    from: Type.Unsafe<(typeof imageStates)[number] | null>({
      ...openEnum(imageStates, 'The previous state; null for the upload.'),
      type: ['string', 'null'],
      enum: [...imageStates, null],
    }),
    to: openEnum(imageStates, 'The new state.'),
    reason: textOrNull('Code of the reason.'),
    reasonLabel: textOrNull('The current label of the code; null if it is not in the list.'),
    note: textOrNull('For staff; null for everyone else.'),
  },
  { ...strict, title: 'HistoryEntry' },
)
export type HistoryEntry = Static<typeof HistoryEntry>
export const HistorySet = pageOf(HistoryEntry, 'HistorySet')
