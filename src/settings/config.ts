// Every setting in one table: variable, default, one line of help, how it is read. The only file that reads process.env.
// Over 300 lines because it is that one table.
import { isIP } from 'node:net'
import path from 'node:path'
import { blobPlace } from './blob-settings.ts'
import { databaseUrl } from './database-settings.ts'
import { trustedIssuers } from './issuer-settings.ts'
import { limitSettings } from './limit-settings.ts'
import {
  cidrs,
  folder,
  hourOrOff,
  offload,
  oneOf,
  optionalFile,
  optionalText,
  origins,
  secretSetting,
  secureOrigins,
  secureUrl,
  setting,
  smtpUrl,
  text,
  waits,
  webUrl,
  wholeNumber,
  withoutPassword,
  type Lookup,
  type Setting,
} from './setting-kinds.ts'
import { tracingSettings } from './tracing-settings.ts'

const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** The table. Its order is the order of `waymark doctor` and of the table in docs/settings.md. */
export const settings = {
  port: setting('PORT', '8080', 'TCP port to listen on; 0 takes any free one.', wholeNumber(0, 65_535)),
  host: setting('HOST', '127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for every interface.', text),
  dataDir: setting('DATA_DIR', './data', 'Folder of the database, the photos and the secret.', folder),
  publicUrl: setting(
    'PUBLIC_URL',
    (lookup) => `http://${hostInUrl(lookup('HOST'))}:${lookup('PORT')}`,
    'Where clients reach the service; its path, if it has one, is where the service is mounted.',
    webUrl,
  ),
  databasePlace: {
    ...setting(
      'DATABASE_URL',
      (lookup) => `sqlite:${path.join(lookup('DATA_DIR'), 'waymark.sqlite')}`,
      'The database: sqlite:<file>, or postgres://user:password@host/database of PostgreSQL 15 or newer, on which several nodes may work.',
      databaseUrl,
    ),
    show: withoutPassword,
  },
  databaseConnections: setting(
    'DATABASE_CONNECTIONS',
    '10',
    'Connections of this node to PostgreSQL at most, for requests; a few more are for other work.',
    wholeNumber(1, 1_000),
  ),
  blobPlace: setting(
    'BLOB_URL',
    (lookup) => `file:${path.join(lookup('DATA_DIR'), 'blobs')}`,
    'Where photos are kept: file:<folder>, or s3://<bucket>/<prefix>?endpoint=<url>&region=<name>&path-style=<true or false> (see operations.md, "Photos in S3").',
    blobPlace,
  ),
  secretFile: setting(
    'SECRET_FILE',
    (lookup) => path.join(lookup('DATA_DIR'), 'secret'),
    'Secret that signs cookies and encrypts signing keys; made at the first start, mode 0600. While rotating it holds two lines, the new one first.',
    folder,
  ),
  imageHandlerUrl: setting(
    'IMAGE_HANDLER_URL',
    (lookup) => `${lookup('PUBLIC_URL').replace(/\/+$/, '')}/ImageHandler`,
    'Address of the image handler as it is told to clients, such as that of a CDN in front of it.',
    webUrl,
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '',
    'Addresses (CIDR) of proxies whose X-Forwarded-For is believed.',
    cidrs,
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    '',
    'Origins whose pages may call every endpoint. API-key reads and images are open to any origin without it.',
    origins,
  ),
  trustedIssuers: setting(
    'TRUSTED_ISSUERS',
    '',
    'Other sites whose access tokens are accepted: a JSON array, or the path of a file that holds one (see external-accounts.md).',
    trustedIssuers,
  ),
  signUp: setting(
    'SIGN_UP',
    'invite',
    'Who may make an account: open (anybody), invite (whoever was invited) or closed (nobody but by the command line).',
    oneOf(['open', 'invite', 'closed']),
  ),
  smtpUrl: secretSetting(
    'SMTP_URL',
    'Mail server, as smtp://user:password@host:587 or smtps://…; without one no mail is sent, and links to reset a password are made by "waymark accounts reset-link".',
    smtpUrl,
  ),
  mailFrom: setting(
    'MAIL_FROM',
    (lookup) => `waymark@${URL.parse(lookup('PUBLIC_URL'))?.hostname ?? 'localhost'}`,
    'Sender of the mails.',
    text,
  ),
  reviewMailHour: setting(
    'REVIEW_MAIL_HOUR',
    '6',
    'Hour of the day, UTC, from which staff are mailed once how many photos wait for review: 0 to 23, or off.',
    hourOrOff,
  ),
  hstsSubdomains: setting(
    'HSTS_SUBDOMAINS',
    'off',
    'With PUBLIC_URL on https: on adds includeSubDomains to Strict-Transport-Security. Browsers then refuse plain http for every name under its host, for a year.',
    oneOf(['on', 'off']),
  ),
  webApp: setting(
    'WEB_APP',
    'on',
    'The web app: on serves it, and builds it at the start where its sources are newer; off leaves the interface alone.',
    oneOf(['on', 'off']),
  ),
  siteName: setting(
    'SITE_NAME',
    'Waymark',
    'Name of the site, in the web app, on every other page and in mails.',
    text,
  ),
  mapPmtiles: setting(
    'MAP_PMTILES',
    '',
    'File of a base map (PMTiles) that this server sends to its own pages; without one they have the shapes of the land alone.',
    optionalFile,
  ),
  mapStyleUrl: setting(
    'MAP_STYLE_URL',
    '',
    'Address (https) of a MapLibre style for the base map, in the place of MAP_PMTILES; browsers then ask its origin for tiles.',
    secureUrl,
  ),
  mapStyleOrigins: setting(
    'MAP_STYLE_ORIGINS',
    '',
    'Further origins (https) that the style of MAP_STYLE_URL loads tiles, fonts, sprites or data from; browsers block what is not listed. waymark doctor names those that are missing.',
    secureOrigins,
  ),
  imageMaxAge: setting(
    'IMAGE_MAX_AGE',
    '3600',
    'Seconds a listed image may stay in caches, and so outlive its removal.',
    wholeNumber(0, 31_536_000),
  ),
  offload: setting(
    'OFFLOAD',
    'off',
    'Who sends photos in size lg: off is this server; x-accel:/location/ is nginx in front of it, from that internal location (see operations.md). Needs TRUST_PROXY.',
    offload,
  ),
  pendingView: setting(
    'PENDING_VIEW',
    'anyone',
    'Who may view a pending image by its id: anyone, or owner (the submitter and staff).',
    oneOf(['anyone', 'owner']),
  ),
  xmlEmail: setting(
    'XML_EMAIL',
    'permitted',
    'The email element in XML: permitted fills it for the submitter and staff only, always fills it for everyone.',
    oneOf(['permitted', 'always']),
  ),
  adminEmail: setting(
    'ADMIN_EMAIL',
    '',
    'With ADMIN_PASSWORD_FILE: the first admin, made at a start that finds none.',
    optionalText,
  ),
  adminPasswordFile: setting(
    'ADMIN_PASSWORD_FILE',
    '',
    'File holding the password of the first admin.',
    optionalText,
  ),
  staffSignIn: setting(
    'STAFF_SIGN_IN',
    'any',
    'How reviewers and admins sign in: any way, or passkey, without which a session can only add its first passkey.',
    oneOf(['any', 'passkey']),
  ),
  edits: setting(
    'EDITS',
    'list',
    'A title or caption changed after approval: list keeps the photo listed and marks it as edited for review, pend takes it back to pending.',
    oneOf(['list', 'pend']),
  ),
  farFromTrailMetres: setting(
    'FAR_FROM_TRAIL_METRES',
    '500',
    'Metres from the line of its trail beyond which the review queue flags a photo; 0 for never.',
    wholeNumber(0, 20_100_000),
  ),
  routeDate: setting(
    'ROUTE_DATE',
    'short',
    'The dateCreated of a route in classic JSON: short is MM/DD/YY, full is YYYY-MM-DD hh:mm:ssZ.',
    oneOf(['short', 'full']),
  ),
  emptyRoutes: setting(
    'EMPTY_ROUTES',
    '404',
    'The classic answer to the routes of an account that has none: 404 "No routes found", or 200 with an empty list.',
    oneOf(['404', '200']),
  ),
  gpxCheck: setting(
    'GPX_CHECK',
    'on',
    'What becomes of a gpx that cannot be read: on refuses it; off stores it, for taking over old data, and v2 then tells.',
    oneOf(['on', 'off']),
  ),
  metricsAllow: setting(
    'METRICS_ALLOW',
    '127.0.0.0/8 ::1/128',
    'Addresses (CIDR) that may read /metrics; a request that a proxy passed on counts as the one it came from.',
    cidrs,
  ),
  webhookAllow: setting(
    'WEBHOOK_ALLOW',
    '',
    'Private addresses (CIDR) that webhooks may reach all the same; plain http only to these.',
    cidrs,
  ),
  webhookBackoffSeconds: setting(
    'WEBHOOK_BACKOFF',
    '5 300 1800 7200 18000 36000 36000 36000 36000 36000',
    'Seconds to wait after each failed attempt at a webhook before the next; up to a fifth is added by chance. After the last, the delivery is given up.',
    waits(36_000, 20),
  ),
  ...limitSettings,
  ...tracingSettings,
} satisfies Record<string, Setting<unknown>>

export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

export type Environment = Readonly<Record<string, string | undefined>>

/** One setting as `doctor` and the docs print it. */
export interface SettingLine {
  readonly variable: string
  readonly value: string
  readonly isDefault: boolean
  readonly help: string
}

function lookupIn(environment: Environment): Lookup {
  const byVariable = new Map(Object.values(settings).map((entry) => [entry.variable, entry]))
  const lookup: Lookup = (variable) =>
    environment[variable]?.trim() || (byVariable.get(variable)?.standard(lookup) ?? '')
  return lookup
}

/** Every setting with the value in force, in the table's order. */
export function describeSettings(environment: Environment = process.env): SettingLine[] {
  const lookup = lookupIn(environment)
  return Object.values(settings).map(({ variable, help, show = text }: Setting<unknown>) => ({
    variable,
    value: show(lookup(variable)),
    isDefault: !environment[variable]?.trim(),
    help,
  }))
}

/** The error of a setting whose value only turns out to be wrong in use, such as a folder that cannot be made. */
export function wrongSetting(message: string, cause: unknown): RangeError {
  return Object.assign(new RangeError(message, { cause }), { failureCode: 'wrong-setting' })
}

/**
 * Reads all settings.
 * @throws RangeError whose message is one sentence naming the variable (contract D2).
 */
export function readConfig(environment: Environment = process.env): Config {
  const lookup = lookupIn(environment)
  const entries = Object.entries(settings).map(([name, { variable, read }]) => {
    try {
      return [name, read(lookup(variable))] as const
    } catch (error) {
      throw new RangeError(`${variable} ${error instanceof Error ? error.message : String(error)}.`, {
        cause: error,
      })
    }
  })
  const config = Object.fromEntries(entries) as unknown as Config
  if ((config.adminEmail === undefined) !== (config.adminPasswordFile === undefined)) {
    throw new RangeError('ADMIN_EMAIL and ADMIN_PASSWORD_FILE must be set together.')
  }
  if (config.trustedIssuers.some(({ issuer }) => issuer.replace(/\/$/, '') === config.publicUrl)) {
    throw new RangeError('TRUSTED_ISSUERS must not name PUBLIC_URL, whose tokens are always accepted.')
  }
  if (config.offload && config.trustProxy.length === 0) {
    throw new RangeError(
      'OFFLOAD needs TRUST_PROXY, since only a proxy that is believed is left to send a photo.',
    )
  }
  if (config.offload && config.blobPlace.store !== 'files') {
    throw new RangeError('OFFLOAD x-accel needs BLOB_URL to be file:<folder>, since nginx sends files.')
  }
  if (config.port === 0 && !environment['PUBLIC_URL']?.trim()) {
    throw new RangeError('PORT 0 needs PUBLIC_URL, since nobody can tell the address beforehand.')
  }
  return config
}

/** The settings of this process with others in the place of some, as a move to another place needs them. */
export const readConfigWith = (others: Environment): Config => readConfig({ ...process.env, ...others })

/** The stream of the journal that systemd tells its services of: no setting, since nobody chooses it. */
export const readJournalStream = (): string | undefined => process.env['JOURNAL_STREAM']

/** The same as doctor prints them. */
export const describeSettingsWith = (others: Environment): SettingLine[] =>
  describeSettings({ ...process.env, ...others })

/** What the commands that speak to a server over HTTP are told; none of it is a setting of the server. */
export interface RemoteSettings {
  /** Where `waymark login` keeps tokens. */
  readonly folder: string
  /** WAYMARK_URL: the server, where no option names one. */
  readonly url: string | undefined
  /** WAYMARK_TOKEN: a bearer token, for machines; then nothing is kept. */
  readonly token: string | undefined
  /** WAYMARK_API_KEY: what verify reads lists with. */
  readonly apiKey: string | undefined
}

export function readRemoteSettings(environment: Environment = process.env): RemoteSettings {
  const given = (name: string): string | undefined => environment[name]?.trim() || undefined
  const home = given('HOME') ?? given('USERPROFILE') ?? '.'
  const base = given('XDG_CONFIG_HOME') ?? given('APPDATA') ?? path.join(home, '.config')
  return {
    folder: path.join(base, 'waymark'),
    url: given('WAYMARK_URL'),
    token: given('WAYMARK_TOKEN'),
    apiKey: given('WAYMARK_API_KEY'),
  }
}
