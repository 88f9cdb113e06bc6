// The browser's part of adding a passkey: converts the server's options and the authenticator's response. Written by
// hand, because browsers with passkeys but without parseCreationOptionsFromJSON() are still in use.
import type { NewPasskey } from '../../../client/client.ts'

export const knowsPasskeys = (): boolean => 'PublicKeyCredential' in globalThis

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )

const toText = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

function creationOf(options: PublicKeyCredentialCreationOptionsJSON): PublicKeyCredentialCreationOptions {
  const { challenge, user, excludeCredentials = [], rp, pubKeyCredParams, timeout } = options
  return {
    rp,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    pubKeyCredParams,
    excludeCredentials: excludeCredentials.map(({ id }) => ({ id: toBytes(id), type: 'public-key' })),
    ...(timeout !== undefined && { timeout }),
    ...(options.authenticatorSelection && {
      authenticatorSelection: options.authenticatorSelection,
    }),
    attestation: 'none',
  }
}

/** @throws DOMException of the platform: `NotAllowedError` if the user cancelled. */
export async function makePasskey(options: object): Promise<NewPasskey['response']> {
  const publicKey = creationOf(options as PublicKeyCredentialCreationOptionsJSON)
  const made = await navigator.credentials.create({ publicKey })
  if (!(made instanceof PublicKeyCredential) || !(made.response instanceof AuthenticatorAttestationResponse))
    throw new DOMException('no passkey was made', 'NotAllowedError')
  const { clientDataJSON, attestationObject } = made.response
  // The same older browsers lack it; it is optional for the server.
  const transports = 'getTransports' in made.response ? made.response.getTransports() : []
  return {
    id: made.id,
    rawId: toText(made.rawId),
    type: 'public-key',
    response: {
      clientDataJSON: toText(clientDataJSON),
      attestationObject: toText(attestationObject),
      transports,
    },
  }
}
