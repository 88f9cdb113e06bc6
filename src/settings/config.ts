// Every setting in one table: variable, default, one line of help, how it is read. The only file that reads process.env.
// Over 300 lines because it is that one table.
import { isIP } from 'node:net'
import path from 'node:path'
import { backupSettings, requireBackupPlace } from './backup-settings.ts'
import { blobPlace } from './blob-settings.ts'
import { connectionsOfNode, databaseUrl, standardConnections } from './database-settings.ts'
import { describeFormerNames, givenText, refuseContradiction } from './former-names.ts'
import { trustedIssuers } from './issuer-settings.ts'
import { limitSettings } from './limit-settings.ts'
import {
  cidrs,
  editedPhotos,
  folder,
  hourOrOff,
  offload,
  oneOf,
  optionalFile,
  optionalText,
  origins,
  renamed,
  secretSetting,
  secureOrigins,
  secureUrl,
  setting,
  smtpUrl,
  text,
  timeZone,
  waits,
  webUrl,
  wholeNumber,
  withoutPassword,
  type Environment,
  type Lookup,
  type Setting,
} from './setting-kinds.ts'
import { tracingSettings } from './tracing-settings.ts'

const hostInUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** The table. Its order is the order of `waymark doctor` and of the table in docs/settings.md. */
export const settings = {
  port: setting('PORT', '8080', 'TCP port to listen on; 0 for any free port.', wholeNumber(0, 65_535)),
  host: setting('HOST', '127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for every interface.', text),
  dataDir: setting('DATA_DIR', './data', 'Folder for the database, the photos and the secret.', folder),
  publicUrl: setting(
    'PUBLIC_URL',
    (lookup) => `http://${hostInUrl(lookup('HOST'))}:${lookup('PORT')}`,
    'Public URL of the service. If it has a path, the service is mounted there.',
    webUrl,
  ),
  databasePlace: {
    ...setting(
      'DATABASE_URL',
      (lookup) => `sqlite:${path.join(lookup('DATA_DIR'), 'waymark.sqlite')}`,
      'The database: sqlite:<file>, or postgres://user:password@host/database for PostgreSQL 15 or newer, which several nodes can share.',
      databaseUrl,
    ),
    show: withoutPassword,
  },
  databaseConnections: setting(
    'DATABASE_CONNECTIONS',
    String(standardConnections),
    `Maximum number of PostgreSQL connections of this node for requests. A node opens ${connectionsOfNode(0)} more, so ${connectionsOfNode(standardConnections)} by default; all nodes and one more (an upgrade, a command) must fit into max_connections.`,
    wholeNumber(1, 1_000),
  ),
  blobPlace: setting(
    'BLOB_URL',
    (lookup) => `file:${path.join(lookup('DATA_DIR'), 'blobs')}`,
    'Where photos are stored: file:<folder>, or s3://<bucket>/<prefix>?endpoint=<url>&region=<name>&path-style=<true or false> (see operations.md, "Photos in S3").',
    blobPlace,
  ),
  secretFile: setting(
    'SECRET_FILE',
    (lookup) => path.join(lookup('DATA_DIR'), 'secret'),
    'Secret that signs cookies and encrypts signing keys; created at the first start, mode 0600. To rotate it, put the new secret on the first line and the old one on the second.',
    folder,
  ),
  imageHandlerUrl: setting(
    'IMAGE_HANDLER_URL',
    (lookup) => `${lookup('PUBLIC_URL').replace(/\/+$/, '')}/ImageHandler`,
    'Public URL of the image handler, such as that of a CDN in front of it.',
    webUrl,
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '',
    'Trusted proxy addresses (CIDR) whose X-Forwarded-For header is used.',
    cidrs,
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    '',
    'Origins whose pages may call every endpoint. Reads with an API key and images are always open to any origin.',
    origins,
  ),
  trustedIssuers: setting(
    'TRUSTED_ISSUERS',
    '',
    'Other sites whose access tokens are accepted: a JSON array, or the path of a file with one (see external-accounts.md).',
    trustedIssuers,
  ),
  signUp: setting(
    'SIGN_UP',
    'invite',
    'Who may create an account: open (anyone), invite (by invitation) or closed (only on the command line).',
    oneOf(['open', 'invite', 'closed']),
  ),
  smtpUrl: secretSetting(
    'SMTP_URL',
    'Mail server, as smtp://user:password@host:587 or smtps://…. Without one no email is sent; create password reset links with "waymark accounts reset-link".',
    smtpUrl,
  ),
  mailFrom: setting(
    'MAIL_FROM',
    (lookup) => `waymark@${URL.parse(lookup('PUBLIC_URL'))?.hostname ?? 'localhost'}`,
    'Sender address of emails.',
    text,
  ),
  reviewMailHour: setting(
    'REVIEW_MAIL_HOUR',
    '6',
    'Hour of the day, in UTC, of the daily email to staff about photos pending review: 0 to 23, or off.',
    hourOrOff,
  ),
  hstsSubdomains: setting(
    'HSTS_SUBDOMAINS',
    'off',
    'Whether to add includeSubDomains to Strict-Transport-Security (on or off) if PUBLIC_URL is https. Browsers then refuse plain http for every subdomain of the host for a year.',
    oneOf(['on', 'off']),
  ),
  webApp: setting(
    'WEB_APP',
    'on',
    'Whether to serve the web app: on (rebuilt at startup if its sources are newer) or off (only the API).',
    oneOf(['on', 'off']),
  ),
  siteName: setting(
    'SITE_NAME',
    'Waymark',
    'Name of the site in the web app, on other pages and in emails, unless an admin has chosen another.',
    text,
  ),
  mapPmtiles: setting(
    'MAP_PMTILES',
    '',
    'Map file (PMTiles) that this server serves to its own pages, instead of map/base.pmtiles in DATA_DIR. A choice by an admin takes precedence (base-map.md).',
    optionalFile,
  ),
  mapStyleUrl: setting(
    'MAP_STYLE_URL',
    '',
    'URL (https) of a MapLibre style to use as the base map instead of a file, until an admin chooses; browsers then load tiles from its origin.',
    secureUrl,
  ),
  mapStyleOrigins: setting(
    'MAP_STYLE_ORIGINS',
    '',
    'More origins (https) from which the style at MAP_STYLE_URL loads tiles, fonts, sprites or data; browsers block all others. "waymark doctor" lists missing ones.',
    secureOrigins,
  ),
  imageMaxAge: setting(
    'IMAGE_MAX_AGE',
    '3600',
    'Cache lifetime (max-age) in seconds for published images; an unpublished image may stay cached this long.',
    wholeNumber(0, 31_536_000),
  ),
  offload: setting(
    'OFFLOAD',
    'off',
    'Who sends photos in size lg: off means this server, x-accel:/location/ means nginx in front of it, from that internal location (see operations.md). Requires TRUST_PROXY.',
    offload,
  ),
  pendingView: setting(
    'PENDING_VIEW',
    'anyone',
    'Who may view a pending image by its ID: anyone, or owner (the submitter and staff).',
    oneOf(['anyone', 'owner']),
  ),
  xmlEmail: setting(
    'XML_EMAIL',
    'permitted',
    'Who gets the email address in the XML email element: permitted (only the submitter and staff) or always (everyone).',
    oneOf(['permitted', 'always']),
  ),
  adminEmail: setting(
    'ADMIN_EMAIL',
    '',
    'Email address of the first admin, created at startup if there is none. Requires ADMIN_PASSWORD_FILE.',
    optionalText,
  ),
  adminPasswordFile: setting(
    'ADMIN_PASSWORD_FILE',
    '',
    'File with the password of the first admin.',
    optionalText,
  ),
  staffSignIn: setting(
    'STAFF_SIGN_IN',
    'any',
    'How reviewers and admins must sign in: any, or passkey. With passkey, a session without one can only add a first passkey.',
    oneOf(['any', 'passkey']),
  ),
  edits: renamed(
    setting(
      'EDITED_PHOTOS',
      'keep-listed',
      'When the title or caption of a published photo is changed: keep-listed keeps it published and marks it as edited for review, require-review makes it pending again.',
      editedPhotos,
    ),
    'EDITS',
    { list: 'keep-listed', pend: 'require-review' },
  ),
  farFromTrailMetres: setting(
    'FAR_FROM_TRAIL_METRES',
    '500',
    'Distance from the trail, in metres, beyond which the review queue flags a photo; 0 turns this off.',
    wholeNumber(0, 20_100_000),
  ),
  takenAt: setting(
    'TAKEN_AT',
    'day',
    'What is shown of the time a photo was taken, to everyone who may see the photo: day (only the date), exact (also time, direction and accuracy) or hidden (not even the date). The submitter and staff see everything.',
    oneOf(['day', 'exact', 'hidden']),
  ),
  siteTimeZone: setting(
    'SITE_TIME_ZONE',
    'UTC',
    'Time zone of photos that state neither the offset of their time nor a position, such as Europe/Zurich.',
    timeZone,
  ),
  routeDate: setting(
    'ROUTE_DATE',
    'short',
    'Format of dateCreated of a route in classic JSON: short (MM/DD/YY) or full (YYYY-MM-DD hh:mm:ssZ).',
    oneOf(['short', 'full']),
  ),
  emptyRoutes: setting(
    'EMPTY_ROUTES',
    '404',
    'Classic response for an account without routes: 404 "No routes found", or 200 with an empty list.',
    oneOf(['404', '200']),
  ),
  gpxCheck: setting(
    'GPX_CHECK',
    'on',
    'How to handle invalid GPX: on refuses it; off stores it, for importing old data, and v2 reports the errors.',
    oneOf(['on', 'off']),
  ),
  metricsAllow: setting(
    'METRICS_ALLOW',
    '127.0.0.0/8 ::1/128',
    'Addresses (CIDR) that may read /metrics; behind a trusted proxy, the address of the client counts.',
    cidrs,
  ),
  webhookAllow: setting(
    'WEBHOOK_ALLOW',
    '',
    'Private addresses (CIDR) that webhooks may reach; plain http is allowed only for these.',
    cidrs,
  ),
  webhookBackoffSeconds: setting(
    'WEBHOOK_BACKOFF',
    '5 300 1800 7200 18000 36000 36000 36000 36000 36000',
    'Delays in seconds between failed attempts to deliver a webhook, plus up to a fifth of random jitter. After the last one the delivery fails.',
    waits(36_000, 20),
  ),
  ...backupSettings,
  ...limitSettings,
  ...tracingSettings,
} satisfies Record<string, Setting<unknown>>

export type { Environment } from './setting-kinds.ts'

export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

/** One setting as `doctor` and the docs print it. */
export interface SettingLine {
  readonly variable: string
  readonly value: string
  readonly isDefault: boolean
  readonly help: string
}

function lookupIn(environment: Environment): Lookup {
  const byVariable = new Map<string, Setting<unknown>>(
    Object.values(settings).map((entry) => [entry.variable, entry]),
  )
  const lookup: Lookup = (variable) => {
    const entry = byVariable.get(variable)
    return entry ? givenText(entry, environment) || entry.standard(lookup) : ''
  }
  return lookup
}

/** Every setting with its current value, in the order of the table. */
export function describeSettings(environment: Environment = process.env): SettingLine[] {
  const lookup = lookupIn(environment)
  return Object.values(settings).map((entry: Setting<unknown>) => {
    const { variable, help, show = text } = entry
    return {
      variable,
      value: show(lookup(variable)),
      isDefault: givenText(entry, environment) === '',
      help,
    }
  })
}

/** One sentence for each setting that is set under its former name. */
export const describeRenamed = (environment: Environment = process.env): string[] =>
  describeFormerNames(Object.values(settings), environment)

/** The error for a setting whose value only turns out to be wrong in use, such as a folder that cannot be created. */
export function wrongSetting(message: string, cause: unknown): RangeError {
  return Object.assign(new RangeError(message, { cause }), { failureCode: 'wrong-setting' })
}

/**
 * Reads all settings.
 * @throws RangeError whose message is one sentence naming the variable (contract D2).
 */
export function readConfig(environment: Environment = process.env): Config {
  const lookup = lookupIn(environment)
  const entries = Object.entries(settings).map(([name, entry]) => {
    const { variable, read } = entry
    try {
      refuseContradiction(entry, environment)
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
    throw new RangeError('TRUSTED_ISSUERS must not contain PUBLIC_URL, whose tokens are always accepted.')
  }
  if (config.offload && config.trustProxy.length === 0) {
    throw new RangeError('OFFLOAD requires TRUST_PROXY, since only a trusted proxy may send photos.')
  }
  if (config.offload && config.blobPlace.store !== 'files') {
    throw new RangeError('OFFLOAD x-accel requires BLOB_URL to be file:<folder>, since nginx sends files.')
  }
  requireBackupPlace(config)
  if (config.port === 0 && !environment['PUBLIC_URL']?.trim()) {
    throw new RangeError('PORT 0 requires PUBLIC_URL, since the port is not known in advance.')
  }
  return config
}

/** Adds what a file of settings says to the environment, which wins: libraries read theirs there, and so do child processes. */
export function addToEnvironment(values: Environment): void {
  for (const [variable, value] of Object.entries(values)) process.env[variable] ??= value
}

/** Where libraries look for the files of a user, such as ~/.aws and ~/.pgpass. */
export function useHome(folder: string): void {
  process.env['HOME'] = folder
}

/** The settings of this process with others in the place of some, as a move to another place needs them. */
export const readConfigWith = (others: Environment): Config => readConfig({ ...process.env, ...others })

/** The journal stream, which systemd sets for its services; not a setting for operators. */
export const readJournalStream = (): string | undefined => process.env['JOURNAL_STREAM']

/** The same as doctor prints them. */
export const describeSettingsWith = (others: Environment): SettingLine[] =>
  describeSettings({ ...process.env, ...others })

/** Variables of the commands that use a server over HTTP; not settings of the server. */
export interface RemoteSettings {
  /** Where `waymark login` stores credentials. */
  readonly folder: string
  /** Where `waymark upload` records its uploads. */
  readonly stateFolder: string
  /** WAYMARK_URL: the server, if no option names one. */
  readonly url: string | undefined
  /** WAYMARK_TOKEN: a bearer token, for automation; then no credential is stored. */
  readonly token: string | undefined
  /** WAYMARK_CLIENT_ID: a client that acts for its account; its secret is one of the next two. */
  readonly clientId: string | undefined
  /** WAYMARK_CLIENT_SECRET */
  readonly clientSecret: string | undefined
  /** WAYMARK_CLIENT_SECRET_FILE: a file whose first line is the secret. */
  readonly clientSecretFile: string | undefined
  /** WAYMARK_API_KEY: what verify reads lists with. */
  readonly apiKey: string | undefined
}

export function readRemoteSettings(environment: Environment = process.env): RemoteSettings {
  const given = (name: string): string | undefined => environment[name]?.trim() || undefined
  const home = given('HOME') ?? given('USERPROFILE') ?? '.'
  const base = given('XDG_CONFIG_HOME') ?? given('APPDATA') ?? path.join(home, '.config')
  const state = given('XDG_STATE_HOME') ?? given('LOCALAPPDATA') ?? path.join(home, '.local', 'state')
  return {
    folder: path.join(base, 'waymark'),
    stateFolder: path.join(state, 'waymark'),
    url: given('WAYMARK_URL'),
    token: given('WAYMARK_TOKEN'),
    clientId: given('WAYMARK_CLIENT_ID'),
    clientSecret: given('WAYMARK_CLIENT_SECRET'),
    clientSecretFile: given('WAYMARK_CLIENT_SECRET_FILE'),
    apiKey: given('WAYMARK_API_KEY'),
  }
}
