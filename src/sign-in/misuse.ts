// Tells which refused requests an admin should know of: admin actions of others, tokens and keys that are none, wrong
// passwords and passkeys of whoever is signed in.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Incident } from '../accounts/audit/incidents.ts'
import type { Action } from '../auth/actions.ts'
import type { Actor } from '../auth/guard.ts'
import type { Refusal } from '../errors.ts'
import { addressBucket } from '../http/rates/rate-limits.ts'

const adminActions: ReadonlySet<Action> = new Set(['view-administration', 'administer', 'manage-trails'])
const wrongProofs: ReadonlySet<string> = new Set(['wrong-password', 'wrong-passkey'])

/** A client whose token has expired fetches another; that is nobody's misuse. */
const isWrongToken = ({ code, detail, headers }: Refusal): boolean =>
  code === 'invalid-api-key' ||
  (headers['WWW-Authenticate']?.includes('error="invalid_token"') === true && !detail?.includes('expired'))

function actionOf(request: FastifyRequest, refusal: Refusal): Incident['action'] | undefined {
  if (wrongProofs.has(refusal.code)) return 'sign-in.failed'
  if (isWrongToken(refusal)) return 'token.misused'
  const { access } = request.routeOptions.config
  const isDenied = refusal.code === 'forbidden' || refusal.code === 'passkey-required'
  const isAdminOnly = access !== undefined && 'action' in access && adminActions.has(access.action)
  return isDenied && isAdminOnly ? 'admin.refused' : undefined
}

export function watchMisuse(app: FastifyInstance, note: (incident: Incident) => void): void {
  app.addHook('onResponse', async (request) => {
    const { refusal } = request
    const action = refusal && actionOf(request, refusal)
    if (action === undefined || action === null) return
    // Refused before anybody asked who it is, there is no actor.
    const actor: Actor | undefined = request.actor
    const accountId = actor?.kind === 'account' ? actor.accountId : null
    note({ action, accountId, address: addressBucket(request.ip) })
  })
}
