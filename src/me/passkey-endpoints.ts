// /v2/me/passkeys: the passkeys that open the account (contract, Part D).
import type { FastifyInstance } from 'fastify'
import type { PasskeyRow, Passkeys } from '../auth/passkeys/passkeys.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import {
  NewPasskey,
  Passkey,
  PasskeyOptions,
  PasskeyOptionsRequest,
  PasskeyRemoval,
  PasskeySet,
} from '../shared/v2/passkey-schemas.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import type { Recovery } from '../sign-in/recovery.ts'
import { permittedPerson } from './person.ts'
import { secretly } from '../http/representation.ts'
import { addPasskeyAccess, hasBody, listPasskeysAccess, manageAccess, sendSet } from './v2-parts.ts'

export interface PasskeyEndpointsDependencies {
  readonly passkeys: Passkeys
  readonly recovery: Recovery
}

function passkeyDocument({ credentialId, name, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return {
    id: credentialId,
    name,
    createdAt: writeTimestamp(createdAt),
    lastUsedAt: lastUsedAt === null ? null : writeTimestamp(lastUsedAt),
  }
}

export function registerPasskeyEndpoints(
  app: FastifyInstance,
  { passkeys, recovery }: PasskeyEndpointsDependencies,
): void {
  const readNew = createBodyReader(NewPasskey)
  const readOptionsRequest = createBodyReader(PasskeyOptionsRequest)
  const readRemoval = createBodyReader(PasskeyRemoval)

  app.get(
    '/v2/me/passkeys',
    {
      config: listPasskeysAccess,
      schema: v2Operation({
        summary: 'List your passkeys',
        description: 'Oldest first.',
        answer: PasskeySet,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permittedPerson(request, 'list-passkeys')
      return sendSet(request, reply, (await passkeys.list(accountId)).map(passkeyDocument))
    },
  )

  app.post(
    '/v2/me/passkey-options',
    {
      config: addPasskeyAccess,
      schema: v2Operation({
        summary: 'Start adding a passkey',
        description:
          'The options are valid for this browser session for five minutes. More than ten minutes after signing in, the password is required.',
        body: PasskeyOptionsRequest,
        answer: PasskeyOptions,
        refusals: [
          'forbidden',
          'no-passkeys',
          'passkey-required',
          'stale-session',
          'wrong-password',
          'quota-reached',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'add-passkey')
      const { password } = hasBody(request) ? await readOptionsRequest(request) : {}
      await recovery.requirePresence(person, password)
      return secretly(reply).send(await passkeys.beginAdding(person))
    },
  )

  app.post(
    '/v2/me/passkeys',
    {
      config: addPasskeyAccess,
      schema: v2Operation({
        summary: 'Add a passkey',
        description: 'Takes the response of the authenticator to the options. An account may have 20.',
        body: NewPasskey,
        status: 201,
        answer: Passkey,
        refusals: [
          'forbidden',
          'no-passkeys',
          'passkey-required',
          'wrong-passkey',
          'quota-reached',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'add-passkey')
      const added = await passkeys.add(person, await readNew(request))
      await recovery.mailPasskeyAdded(person.accountId, added.name)
      return secretly(reply).code(201).send(passkeyDocument(added))
    },
  )

  app.delete<{ Params: { credentialId: string } }>(
    '/v2/me/passkeys/:credentialId',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Remove a passkey',
        description:
          'It can no longer be used to sign in. More than ten minutes after signing in, accounts with a password must send it.',
        body: PasskeyRemoval,
        refusals: [
          'forbidden',
          'stale-session',
          'wrong-password',
          'invalid-passkey-id',
          'last-passkey',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const { password } = hasBody(request) ? await readRemoval(request) : {}
      await recovery.requirePresence(person, password)
      await passkeys.remove(person.accountId, request.params.credentialId)
      return secretly(reply).code(204).send()
    },
  )
}
