// Creates the options for browsers and authenticators, and verifies their responses: the only file that uses the
// library.
//
// A passkey replaces the password, so the authenticator must verify its user (PIN, finger, face) each time.
import { isIP } from 'node:net'
import { refuse } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { oneTimeLives } from '../one-time.ts'
import type { PasskeyRow } from './passkey-table.ts'

/** EdDSA, ES256 and RS256, best first: every authenticator supports one of them. */
const algorithms = [-8, -7, -257]
/** An RSA key of 4,096 bits takes half of it; a longer one would only cost time. */
const maxKeyBytes = 1_024
/** The browser times out shortly before the challenge expires. */
const timeoutMs = oneTimeLives.passkey - 10_000

/** A response of an authenticator, in base64url, as returned by PublicKeyCredential.toJSON(). */
interface CredentialResponse<Response> {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly response: Response
}
export type NewCredential = CredentialResponse<{
  readonly clientDataJSON: string
  readonly attestationObject: string
  readonly transports?: readonly string[] | undefined
}>
export type Assertion = CredentialResponse<{
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle?: string | null | undefined
}>

/** The relying party id for this URL: browsers require a host name, over TLS or on this machine. Undefined otherwise. */
export function passkeyHost(publicUrl: string): string | undefined {
  const { hostname, protocol } = new URL(publicUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined
  return isLocal || protocol === 'https:' ? hostname : undefined
}

/** The account's decimal id, which reveals nothing personal: some authenticators show it without asking. */
export const userHandleOf = (accountId: number): string =>
  Buffer.from(String(accountId)).toString('base64url')

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Buffer.from(text, 'base64url')

/** The challenge that the browser claims to answer: base64url, as it was issued. */
export function challengeIn(clientData: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8')) as {
      readonly challenge?: unknown
    }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return '' // it was never issued
  }
}

/** Every error of the library means that the input was wrong. */
async function refusingMismatch<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify()
  } catch (cause) {
    throw refuse('wrong-passkey', { detail: inEach(({ access }) => access.passkey.mismatch), cause })
  }
}

const transportsOf = ({ transports }: PasskeyRow) =>
  JSON.parse(transports) as ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]

/** Takes a quarter of a second and 28 MB, so it is loaded only if somebody uses a passkey. */
const openLibrary = () => import('@simplewebauthn/server')
const openHelpers = () => import('@simplewebauthn/server/helpers')

/**
 * The attestation without its statement, which we do not request: if one is sent anyway, its certificates would be
 * parsed and perhaps the URLs in them fetched.
 */
async function withoutStatement(attestation: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await openHelpers()
  const authData = decodeAttestationObject(bytesOf(attestation)).get('authData')
  const bare = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', authData],
  ])
  return Buffer.from(isoCBOR.encode(bare)).toString('base64url')
}

/** The relying party: the host of the passkeys, and the origin of the pages that may use them. */
export interface PasskeyPlace {
  readonly host: string
  readonly origin: string
  /** The name that the authenticator shows. */
  readonly siteName: string
}

/** @returns the options of navigator.credentials.create(), as JSON. */
export async function creationOptions(
  { host, siteName }: PasskeyPlace,
  wanted: {
    readonly challenge: string
    readonly account: { readonly id: number; readonly email: string; readonly displayName: string }
    /** The account's existing passkeys: no authenticator creates a second one. */
    readonly known: readonly PasskeyRow[]
  },
) {
  const { generateRegistrationOptions } = await openLibrary()
  const { id, email, displayName } = wanted.account
  return generateRegistrationOptions({
    rpName: siteName,
    rpID: host,
    userID: bytesOf(userHandleOf(id)),
    userName: email,
    userDisplayName: displayName,
    challenge: bytesOf(wanted.challenge),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: wanted.known.map((row) => ({ id: row.credentialId, transports: transportsOf(row) })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
}

/** @returns the options of navigator.credentials.get(), as JSON. They name no account: the authenticator knows it. */
export async function requestOptions({ host }: PasskeyPlace, challenge: string) {
  const { generateAuthenticationOptions } = await openLibrary()
  return generateAuthenticationOptions({
    rpID: host,
    challenge: bytesOf(challenge),
    timeout: timeoutMs,
    userVerification: 'required',
  })
}

/** @returns the credential, its key as COSE. @throws refusal `wrong-passkey`. */
export async function readNewCredential(
  { host, origin }: PasskeyPlace,
  { id, rawId, type, response: given }: NewCredential,
  expectedChallenge: string,
): Promise<{ readonly publicKey: Uint8Array; readonly counter: number }> {
  const { verifyRegistrationResponse } = await openLibrary()
  const { verified, registrationInfo } = await refusingMismatch(async () => {
    const attestationObject = await withoutStatement(given.attestationObject)
    const response = { clientDataJSON: given.clientDataJSON, attestationObject }
    return verifyRegistrationResponse({
      response: { id, rawId, type, clientExtensionResults: {}, response },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
  })
  const credential = registrationInfo?.credential
  const isGood = verified && credential?.id === id && credential.publicKey.length <= maxKeyBytes
  if (!isGood) throw refuse('wrong-passkey')
  return credential
}

/** @returns the authenticator's counter, for the caller to compare. @throws refusal `wrong-passkey`. */
export async function readAssertion(
  { host, origin }: PasskeyPlace,
  passkey: PasskeyRow,
  { id, rawId, type, response: given }: Assertion,
  expectedChallenge: string,
): Promise<number> {
  const { verifyAuthenticationResponse } = await openLibrary()
  const { clientDataJSON, authenticatorData, signature } = given
  const response = { clientDataJSON, authenticatorData, signature }
  const { verified, authenticationInfo } = await refusingMismatch(() =>
    verifyAuthenticationResponse({
      response: { id, rawId, type, clientExtensionResults: {}, response },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
      // Compared when it is stored instead (notePasskeyUse), so that two concurrent sign-ins cannot both pass.
      credential: { id: passkey.credentialId, publicKey: bytesOf(passkey.publicKey), counter: 0 },
    }),
  )
  if (!verified) throw refuse('wrong-passkey')
  return authenticationInfo.newCounter
}
