// /v2/admin/audit and /v2/admin/settings: the audit log, and the settings of the server (contract, Part D).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { listAudit, type AuditRow } from '../accounts/audit/audit.ts'
import { permit } from '../auth/guard.ts'
import type { SettingLine } from '../settings/config.ts'
import { auditActions } from '../shared/audit-actions.ts'
import { parseTimestamp, writeTimestamp } from '../shared/v2/timestamps.ts'
import { AuditSet, SettingSet } from '../shared/v2/admin-schemas.ts'
import type { Db } from '../database/database.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import {
  idQuery,
  pageQuery,
  queryId,
  queryText,
  queryWord,
  readPage,
  sendPage,
  wrongParameter,
} from '../http/paging.ts'
import { stringEnum } from '../shared/v2/schema-parts.ts'

export interface AuditEndpointsDependencies {
  readonly db: Db
  /** Without secrets. */
  readonly settings: readonly SettingLine[]
  readonly publicUrl: string
}

const reading = { access: { credential: 'bearer', action: 'view-administration' } } as const

const show = ({ position, at, actorId, via, action, accountId, detail }: AuditRow) => ({
  position,
  at: writeTimestamp(at),
  actor: actorId,
  via,
  action,
  acctID: accountId,
  detail: JSON.parse(detail) as unknown,
})

const timestampQuery = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description }))

const auditQuery = Type.Object({
  acctID: idQuery('The account whose credential or role was changed.'),
  action: Type.Optional(stringEnum(auditActions)),
  since: timestampQuery('At or after this time.'),
  until: timestampQuery('Before this time.'),
  ...pageQuery,
})

/** @throws refusal `invalid-query`. */
function queryTimestamp(request: FastifyRequest, name: string): number | undefined {
  const text = queryText(request, name)
  if (text === undefined) return undefined
  const at = parseTimestamp(text)
  if (at === undefined) throw wrongParameter(name, 'a timestamp such as 2026-05-01T00:00:00Z')
  return at
}

export function registerAuditEndpoints(
  app: FastifyInstance,
  { db, settings, publicUrl }: AuditEndpointsDependencies,
): void {
  app.get(
    '/v2/admin/audit',
    {
      config: reading,
      schema: v2Operation({
        summary: 'List the audit log',
        description: 'All changes to credentials, roles and settings, newest first.',
        query: auditQuery,
        answer: AuditSet,
        refusals: ['forbidden', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      const { limit, after } = readPage(request, 1)
      const before = after === undefined ? undefined : Number(after[0]) || 0
      const filter = {
        accountId: queryId(request, 'acctID'),
        action: queryWord(request, 'action', auditActions),
        since: queryTimestamp(request, 'since'),
        until: queryTimestamp(request, 'until'),
      }
      const rows = await listAudit(db, { ...filter, before, limit: limit + 1 })
      return sendPage(request, reply, {
        rows,
        limit,
        show,
        cursorOf: ({ position }) => [position],
        publicUrl,
      })
    },
  )

  app.get(
    '/v2/admin/settings',
    {
      config: reading,
      schema: v2Operation({
        summary: 'List the settings',
        description:
          'As printed by "waymark doctor --all". They can only be changed in the environment of the server.',
        answer: SettingSet,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      return sendPage(request, reply, {
        rows: settings,
        limit: settings.length,
        show: (line) => line,
        cursorOf: ({ variable }) => [variable],
        publicUrl,
      })
    },
  )
}
