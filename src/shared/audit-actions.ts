// The closed list of actions in the audit log.
/** Every action that the audit knows. */
export const auditActions = [
  'account.created',
  'account.changed',
  'account.role-changed',
  'account.suspended',
  'account.restored',
  'account.trusted',
  'account.distrusted',
  'account.deleted',
  'account.linked',
  'account.unlinked',
  'password.set',
  'password.reset-issued',
  'email.changed',
  'invitation.issued',
  'invitation.revoked',
  'session.begun',
  'session.revoked',
  'key.created',
  'key.rotated',
  'key.revoked',
  'passkey.added',
  'passkey.removed',
  'passkey.refused',
  'client.created',
  'client.changed',
  'client.approved',
  'client.approval-withdrawn',
  'client.secret-rotated',
  'client.removed',
  'consent.given',
  'consent.revoked',
  'setting.changed',
  'original.read',
  'trail.created',
  'trail.changed',
  'trail.deleted',
  'trail.imported',
  'sign-in.failed',
  'admin.refused',
  'token.misused',
] as const

export type AuditAction = (typeof auditActions)[number]

/** What failed, summed up by the hour. */
export type IncidentAction = Extract<AuditAction, 'sign-in.failed' | 'admin.refused' | 'token.misused'>
