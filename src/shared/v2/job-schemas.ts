// TypeBox schemas of background jobs, as admins see them on the v2 surface (contract, Part D).
import { Type, type Static } from 'typebox'

const strict = { additionalProperties: false }
const nullable = <T>(schema: object) => Type.Unsafe<T | null>(schema)

const JobReport = Type.Object(
  {
    name: Type.String({
      description: 'Such as maintenance, webhooks or email-notifications. More may come.',
    }),
    isRunning: Type.Boolean(),
    lastEndedAt: nullable<string>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the last run ended; null for none since the server started.',
    }),
    lastDurationMs: nullable<number>({
      type: ['integer', 'null'],
      minimum: 0,
      description: 'How long the last run took, in milliseconds.',
    }),
    failures: Type.Integer({ minimum: 0, description: 'Failed runs since the server started.' }),
    lastError: nullable<{ at: string; code: string }>({
      anyOf: [
        Type.Object(
          {
            at: Type.String({ format: 'date-time' }),
            code: Type.String({
              description: 'Such as ECONNREFUSED. The log of the server has the details.',
            }),
          },
          strict,
        ),
        { type: 'null' },
      ],
      description: 'The last run that failed, even if later ones succeeded; null for none since the start.',
    }),
  },
  { ...strict, title: 'Job' },
)
export type JobReport = Static<typeof JobReport>

export const JobList = Type.Object({ items: Type.Array(JobReport) }, { ...strict, title: 'JobList' })
export type JobList = Static<typeof JobList>
