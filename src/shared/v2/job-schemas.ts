// TypeBox schemas of background jobs, as admins see them on the v2 surface (contract, Part D).
import { Type, type Static } from 'typebox'
import { numberOrNull, orNull, strict, timestamp, timestampOrNull, wholeSetOf } from './schema-parts.ts'

export const JobReport = Type.Object(
  {
    name: Type.String({
      description: 'Such as maintenance, webhooks or email-notifications. More may be added.',
    }),
    isRunning: Type.Boolean(),
    lastEndedAt: timestampOrNull('When the last run ended; null if none since the server started.'),
    lastDurationMs: numberOrNull('How long the last run took, in milliseconds.'),
    failures: Type.Integer({ minimum: 0, description: 'Failed runs since the server started.' }),
    lastError: orNull(
      Type.Object(
        {
          at: timestamp(),
          code: Type.String({ description: 'Such as ECONNREFUSED. The log of the server has the details.' }),
        },
        { ...strict, title: 'JobError' },
      ),
      'The last run that failed, even if later ones succeeded; null if none since the server started.',
    ),
  },
  { ...strict, title: 'Job' },
)
export type JobReport = Static<typeof JobReport>

export const JobSet = wholeSetOf(JobReport, 'JobSet')
export type JobSet = Static<typeof JobSet>
