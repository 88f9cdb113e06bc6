// Common parts of the account endpoints of v2: lists, confirmation of identity, and optional bodies.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendRepresentation } from '../http/representation.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'

export const selfAccess = { access: { credential: 'bearer', action: 'view-self' } } as const
export const listKeysAccess = { access: { credential: 'bearer', action: 'list-keys' } } as const
export const manageKeysAccess = { access: { credential: 'bearer', action: 'manage-keys' } } as const
export const viewAccess = { access: { credential: 'bearer', action: 'view-own-account' } } as const
export const listPasskeysAccess = { access: { credential: 'bearer', action: 'list-passkeys' } } as const
export const addPasskeyAccess = { access: { credential: 'bearer', action: 'add-passkey' } } as const
export const manageAccess = { access: { credential: 'bearer', action: 'manage-own-account' } } as const

export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: object): FastifyReply {
  return sendRepresentation(request, reply, {
    mediaType: 'application/json',
    body: JSON.stringify(document),
  })
}

/** Every set here is bounded, so it is sent whole. */
export function sendSet(
  request: FastifyRequest,
  reply: FastifyReply,
  items: readonly object[],
): FastifyReply {
  return sendDocument(request, reply, { items, next: null })
}

export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

export const idempotencyKeyOf = (request: FastifyRequest): string | undefined =>
  readIdempotencyKey(request.raw.headersDistinct['idempotency-key'])
