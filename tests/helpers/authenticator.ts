// A software authenticator with its browser: ES256, no attestation, hand-written CBOR. Tests can falsify every part.
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

const head = (major: number, value: number): Buffer =>
  value < 24
    ? Buffer.from([(major << 5) | value])
    : value < 256
      ? Buffer.from([(major << 5) | 24, value])
      : Buffer.from([(major << 5) | 25, value >> 8, value & 255])
const int = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value])
const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const map = (...pairs: readonly [Buffer, Buffer][]): Buffer =>
  Buffer.concat([head(5, pairs.length), ...pairs.flat()])

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()
const base64 = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url')

const userPresent = 0x01
const userVerified = 0x04
const hasCredential = 0x40

/** Values in which the response may differ from that of an honest browser and authenticator. */
export interface Falsified {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly isVerified?: boolean
  readonly type?: string
  readonly signCount?: number
  readonly userHandle?: string | null
  /** An attestation statement that was not requested. */
  readonly format?: string
  readonly privateKey?: KeyObject
}

interface Options {
  readonly challenge: string
}

export interface AuthenticatorOptions {
  readonly origin: string
  /** False for an authenticator without a signature counter. */
  readonly counts?: boolean
}

export interface CreationOptions extends Options {
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string; readonly name: string }
}

export interface RequestOptions extends Options {
  readonly rpId: string
}

/** One authenticator with one passkey. */
export function createAuthenticator({ origin: ownOrigin, counts = true }: AuthenticatorOptions) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  let count = 0
  let ownUserHandle = ''

  const coseKey = map(
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), bytes(Buffer.from(x, 'base64url'))],
    [int(-3), bytes(Buffer.from(y, 'base64url'))],
  )

  function clientData(ownType: string, options: Options, falsified: Falsified): string {
    const { type = ownType, challenge = options.challenge, origin = ownOrigin } = falsified
    return JSON.stringify({ type, challenge, origin, crossOrigin: false })
  }

  function authData(rpId: string, falsified: Falsified, credential = Buffer.alloc(0)): Buffer {
    if (counts) count += 1
    const verified = falsified.isVerified === false ? 0 : userVerified
    const flags = userPresent | verified | (credential.length > 0 ? hasCredential : 0)
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(falsified.signCount ?? count)
    return Buffer.concat([sha256(falsified.rpId ?? rpId), Buffer.from([flags]), counted, credential])
  }

  return {
    credentialId: base64(id),

    /** The result of navigator.credentials.create(), as JSON. */
    create: (options: CreationOptions, falsified: Falsified = {}) => {
      ownUserHandle = options.user.id
      const length = Buffer.from([id.length >> 8, id.length & 255])
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey])
      const attestation = map(
        [text('fmt'), text(falsified.format ?? 'none')],
        [text('attStmt'), falsified.format === undefined ? map() : map([text('x5c'), bytes(randomBytes(9))])],
        [text('authData'), bytes(authData(options.rp.id, falsified, credential))],
      )
      return {
        id: base64(id),
        rawId: base64(id),
        type: 'public-key',
        response: {
          clientDataJSON: base64(clientData('webauthn.create', options, falsified)),
          attestationObject: base64(attestation),
          transports: ['internal'],
        },
      }
    },

    /** The result of navigator.credentials.get(), as JSON. */
    get: (options: RequestOptions, falsified: Falsified = {}) => {
      const client = clientData('webauthn.get', options, falsified)
      const data = authData(options.rpId, falsified)
      const key = falsified.privateKey ?? privateKey
      return {
        id: base64(id),
        rawId: base64(id),
        type: 'public-key',
        response: {
          clientDataJSON: base64(client),
          authenticatorData: base64(data),
          signature: base64(sign('sha256', Buffer.concat([data, sha256(client)]), key)),
          userHandle: falsified.userHandle === undefined ? ownUserHandle : falsified.userHandle,
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>
