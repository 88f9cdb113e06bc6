// Records refused requests that admins should know of: admin actions by others, invalid tokens and keys, wrong
// passwords and passkeys of signed-in users.
import type { Incident } from '../accounts/audit/incidents.ts'
import type { Action } from '../auth/actions.ts'
import type { AccessStatement } from '../auth/guard.ts'
import type { Refusal } from '../errors.ts'
import type { Traffic } from '../http/connections/traffic.ts'
import { addressBucket } from '../http/rates/rate-limits.ts'

const adminActions: ReadonlySet<Action> = new Set(['view-administration', 'administer', 'manage-trails'])
const wrongProofs: ReadonlySet<string> = new Set(['wrong-password', 'wrong-passkey'])

/** A client whose token has expired gets another; that is not misuse. */
const isWrongToken = ({ code, detail, headers }: Refusal): boolean =>
  code === 'invalid-api-key' ||
  (headers['WWW-Authenticate']?.includes('error="invalid_token"') === true && !detail?.includes('expired'))

function actionOf(access: AccessStatement | undefined, refusal: Refusal): Incident['action'] | undefined {
  if (wrongProofs.has(refusal.code)) return 'sign-in.failed'
  if (isWrongToken(refusal)) return 'token.misused'
  const isDenied = refusal.code === 'forbidden' || refusal.code === 'passkey-required'
  const isAdminOnly = access !== undefined && 'action' in access && adminActions.has(access.action)
  return isDenied && isAdminOnly ? 'admin.refused' : undefined
}

export function watchMisuse(traffic: Traffic, note: (incident: Incident) => void): void {
  traffic.onEnd(({ refusal, access, accountId, address }) => {
    const action = refusal === null ? undefined : actionOf(access, refusal)
    if (action !== undefined) note({ action, accountId, address: addressBucket(address) })
  })
}
