// TypeBox schemas of passkeys (contract, Part D): what a browser's PublicKeyCredential gives as JSON, and what is shown of it.
import { Type, type Static } from 'typebox'
import { strict, stringEnum, timestamp, timestampOrNull, wholeSetOf } from './schema-parts.ts'
import { openapiOnly, visibleNameRule } from './openapi-rules.ts'

/** An authenticator's keys and signatures are short; RSA and a chain of certificates nobody asked for take most. */
const bytes = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength })
const credentialId = bytes(1_364)

/** Browsers send more than is asked for, and more with every version: what is not named here is not read. */
const credentialOf = <Response extends ReturnType<typeof Type.Object>>(response: Response) =>
  Type.Object({
    id: credentialId,
    rawId: credentialId,
    type: stringEnum(['public-key']),
    response,
  })

export const NewPasskey = Type.Object(
  {
    name: Type.String({
      description: '1 to 200 characters, without invisible ones.',
      ...openapiOnly(visibleNameRule),
    }),
    response: credentialOf(
      Type.Object({
        clientDataJSON: bytes(8_192),
        attestationObject: bytes(32_768),
        transports: Type.Optional(
          Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$', maxLength: 32 }), { maxItems: 10 }),
        ),
      }),
    ),
  },
  { ...strict, title: 'NewPasskey' },
)

export const PasskeySignIn = credentialOf(
  Type.Object({
    clientDataJSON: bytes(8_192),
    authenticatorData: bytes(8_192),
    signature: bytes(2_048),
    userHandle: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 128 })),
  }),
)

export const PasskeyOptionsRequest = Type.Object(
  {
    password: Type.Optional(
      Type.String({ description: 'The current password, if the user signed in more than ten minutes ago.' }),
    ),
  },
  { ...strict, title: 'PasskeyOptionsRequest' },
)

export const PasskeyRemoval = Type.Object(
  {
    password: Type.Optional(
      Type.String({ description: 'The current password, if the user signed in more than ten minutes ago.' }),
    ),
  },
  { ...strict, title: 'PasskeyRemoval' },
)

export const PasskeyOptions = Type.Unsafe<object>({
  type: 'object',
  title: 'PasskeyOptions',
  description: 'In the format that PublicKeyCredential.parseCreationOptionsFromJSON() accepts.',
})

export const Passkey = Type.Object(
  {
    id: Type.String({ description: 'ID of the credential, base64url.' }),
    name: Type.String(),
    createdAt: timestamp(),
    lastUsedAt: timestampOrNull('Null if never used.'),
  },
  { ...strict, title: 'Passkey' },
)
export type Passkey = Static<typeof Passkey>

export const PasskeySet = wholeSetOf(Passkey, 'PasskeySet')
