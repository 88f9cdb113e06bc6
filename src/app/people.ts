// Accounts, and everything that authenticates a caller.
import { createAccounts, type Accounts } from '../accounts/accounts.ts'
import { siteWordsOf } from '../accounts/password-rules.ts'
import { createAccessTokens } from '../auth/access-tokens.ts'
import { createApiKeys, type ApiKeys } from '../auth/api-keys.ts'
import { createIdentify, type Identify } from '../auth/identify.ts'
import { createExternalIdentities } from '../auth/issuers/external-identities.ts'
import { createTrustedIssuers } from '../auth/issuers/trusted-issuers.ts'
import { createKnownDevices, type KnownDevices } from '../auth/known-devices.ts'
import { loadSecretOf } from '../auth/oauth/signing-keys.ts'
import { createPasskeys, type Passkeys } from '../auth/passkeys/passkeys.ts'
import { hashPassword } from '../auth/passwords.ts'
import type { Secret } from '../auth/secret.ts'
import { createSessions, type Sessions } from '../auth/sessions.ts'
import { createMailer, type Mailer } from '../mail/mailer.ts'
import { wrongSetting } from '../settings/config.ts'
import { createLiveBrand, type LiveBrand } from '../site-settings/branding/live-brand.ts'
import { createSite, type Site } from '../site/site.ts'
import type { Module } from './module.ts'
import type { Observability } from './observability.ts'

export interface People {
  readonly site: Site
  readonly liveBrand: LiveBrand
  readonly siteWords: () => readonly string[]
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly passkeys: Passkeys
  readonly apiKeys: ApiKeys
  readonly identify: Identify
  readonly secret: Secret
  readonly devices: KnownDevices
  /** Undefined if no email can be sent. */
  readonly mailer: Mailer | undefined
}

export const people: Module<Observability, People> = {
  name: 'people',
  start: async ({ config, database, db, system, now, log }) => {
    const { publicUrl, siteName, staffSignIn } = config
    const liveBrand = await createLiveBrand({ db, changes: database.changes, siteName })
    const { brand } = liveBrand
    const siteWords = () => siteWordsOf({ siteName: brand().name, publicUrl })
    const accounts = createAccounts({ db, system, hashPassword, siteWords })
    const sessions = createSessions({ db, now, publicUrl })
    const passkeys = createPasskeys({ db, now, sessions, publicUrl, siteName: () => brand().name })
    if (staffSignIn === 'passkey' && !passkeys.isOffered) {
      throw wrongSetting(
        'STAFF_SIGN_IN=passkey requires a PUBLIC_URL that supports passkeys: a host name over https, or localhost.',
        undefined,
      )
    }
    const externalIssuers = createTrustedIssuers({
      issuers: config.trustedIssuers,
      identities: createExternalIdentities({ db, system }),
      now,
    })
    const apiKeys = createApiKeys(db, now)
    const identify = createIdentify({
      apiKeys,
      accessTokens: externalIssuers.beside(createAccessTokens(db, now)),
      sessions,
      accountStatusOf: accounts.accountStatusOf,
      publicUrl,
      staffSignIn,
    })
    const secret = await loadSecretOf(db, config.secretFile)
    const mailer =
      config.smtpUrl === undefined
        ? undefined
        : createMailer({
            smtpUrl: config.smtpUrl,
            from: config.mailFrom,
            siteName: async () => (await liveBrand.present()).name,
            onFailure: (error) => log.error({ err: error }, 'an email could not be sent'),
          })
    return {
      gives: {
        site: createSite(publicUrl, brand, liveBrand),
        liveBrand,
        siteWords,
        accounts,
        sessions,
        passkeys,
        apiKeys,
        identify,
        secret,
        devices: createKnownDevices({ db, secret, now, publicUrl }),
        mailer,
      },
      close: () => mailer?.close(),
    }
  },
}
