// DELETE /v2/me and DELETE /v2/admin/accounts/{acctID}, and the data export.
import type { FastifyInstance } from 'fastify'
import { accountOf, auditActorOf, permit, type Actor } from '../auth/guard.ts'
import type { Sessions } from '../auth/sessions.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { AccountDeletion, Leaving, LeavingReport } from '../shared/v2/leaving-schemas.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { secretly } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import type { Deletion } from './deletion.ts'
import { registerDataExport, type DataExportEndpoint } from './data-export-endpoint.ts'
import type { DataExport } from './data-export.ts'

export interface LeavingDependencies {
  readonly dataExport: DataExport
  readonly deletion: Deletion
  readonly now: () => number
  readonly sessions: Pick<Sessions, 'noCookie'>
  /** @throws refusals `invalid-account-id`. */
  readonly requireAccount: (id: number | undefined) => Promise<unknown>
  /** Confirms the user's identity. @throws refusals `stale-session`, `wrong-password`. */
  readonly requirePresence: (
    person: { readonly accountId: number; readonly sessionId: string; readonly signedInAt: number },
    password: string | undefined,
  ) => Promise<void>
}

/** The session and its start. */
function personOf(actor: Actor) {
  const { accountId, sessionId, signedInAt } = accountOf(actor)
  if (sessionId === undefined || signedInAt === undefined) throw refuse('forbidden')
  return { accountId, sessionId, signedInAt }
}

export function registerLeaving(app: FastifyInstance, dependencies: LeavingDependencies): DataExportEndpoint {
  const { dataExport, deletion, now, sessions, requireAccount, requirePresence } = dependencies
  const readLeaving = createBodyReader(Leaving)
  const readDeletion = createBodyReader(AccountDeletion)

  app.delete(
    '/v2/me',
    {
      config: { access: { credential: 'bearer', action: 'manage-own-account' } },
      schema: v2Operation({
        summary: 'Delete your account',
        description:
          'Permanent. Requires a browser session with a sign-in within the last ten minutes, or the password. Routes, zones and credentials are always deleted; published photos may stay, credited to a former member. Export your data first with /v2/me/takeout.',
        body: Leaving,
        answer: LeavingReport,
        refusals: [
          'forbidden',
          'stale-session',
          'wrong-password',
          'invalid-account-id', // the second of two at once
          'last-admin',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'manage-own-account')
      const person = personOf(request.actor)
      const { photos, password } = await readLeaving(request)
      await requirePresence(person, password)
      const report = await deletion.leave(person.accountId, photos, auditActorOf(request.actor))
      return secretly(reply).header('Set-Cookie', sessions.noCookie()).send(report)
    },
  )

  app.delete<{ Params: { acctID: string } }>(
    '/v2/admin/accounts/:acctID',
    {
      config: { access: { credential: 'bearer', action: 'administer' } },
      schema: v2Operation({
        ids: ['acctID'],
        summary: 'Delete an account',
        description:
          'Permanent. For admins with a browser session; to delete your own account, use /v2/me. A deleted account is treated as unknown and is in no list.',
        body: AccountDeletion,
        answer: LeavingReport,
        refusals: ['forbidden', 'invalid-account-id', 'last-admin', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const id = parseId(request.params.acctID)
      await requireAccount(id)
      const { accountId } = accountOf(request.actor)
      if (id === undefined || id === accountId)
        throw refuse('forbidden', { detail: inEach(({ access }) => access.ownAccount) })
      const { photos } = await readDeletion(request)
      return secretly(reply).send(await deletion.leave(id, photos, auditActorOf(request.actor)))
    },
  )

  return registerDataExport(app, { dataExport, now })
}
