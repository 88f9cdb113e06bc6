// Every setting: its default, what it takes, what it refuses, and that a refusal is one sentence naming the variable (D2).
// Over 300 lines because it is one table, a row for each setting.
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { nameOfPlace, type S3Place } from '../../src/settings/blob-settings.ts'
import { fileOf, type DatabasePlace } from '../../src/settings/database-settings.ts'
import {
  describeSettings,
  readConfig,
  settings,
  type Config,
  type Environment,
} from '../../src/settings/config.ts'

const folderHere = (name: string): string => path.resolve(name)

const bucketOf = (parts: Partial<S3Place>): S3Place => ({
  store: 's3',
  bucket: 'photos',
  prefix: '',
  endpoint: undefined,
  region: undefined,
  pathStyle: false,
  ...parts,
})

const defaults: Config = {
  port: 8_080,
  host: '127.0.0.1',
  dataDir: folderHere('data'),
  publicUrl: 'http://127.0.0.1:8080',
  databasePlace: { engine: 'sqlite', file: folderHere('data/waymark.sqlite') },
  databaseConnections: 10,
  blobPlace: { store: 'files', folder: folderHere('data/blobs') },
  secretFile: folderHere('data/secret'),
  imageHandlerUrl: 'http://127.0.0.1:8080/ImageHandler',
  trustProxy: [],
  corsOrigins: [],
  trustedIssuers: [],
  signUp: 'invite',
  smtpUrl: undefined,
  mailFrom: 'waymark@127.0.0.1',
  reviewMailHour: 6,
  hstsSubdomains: 'off',
  webApp: 'on',
  siteName: 'Waymark',
  mapPmtiles: undefined,
  mapStyleOrigins: [],
  mapStyleUrl: undefined,
  imageMaxAge: 3_600,
  offload: undefined,
  pendingView: 'anyone',
  xmlEmail: 'permitted',
  adminEmail: undefined,
  adminPasswordFile: undefined,
  staffSignIn: 'any',
  edits: 'list',
  farFromTrailMetres: 500,
  takenAt: 'day',
  siteTimeZone: 'UTC',
  backupSchedule: undefined,
  backupPlace: undefined,
  backupKeep: 14,
  routeDate: 'short',
  emptyRoutes: '404',
  gpxCheck: 'on',
  metricsAllow: ['127.0.0.0/8', '::1/128'],
  webhookAllow: [],
  webhookBackoffSeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, 36_000, 36_000, 36_000],
  maxImageBytes: 8_388_608,
  maxImageSide: 16_384,
  maxImageMegapixels: 100,
  maxDecodedMegabytes: 400,
  maxImageFrames: 1_000,
  maxMetadataBytes: 1_048_576,
  maxInflatedMetadataBytes: 262_144,
  jobSeconds: 10,
  jobs: availableParallelism(),
  jobQueue: 64,
  imageCacheMegabytes: 96,
  listCacheMegabytes: 64,
  answerCacheMegabytes: 32,
  maxDetailsBytes: 65_536,
  maxRouteBytes: 24 * 1024 ** 2,
  maxGpxBytes: 8_388_608,
  maxImportBytes: 64 * 1024 ** 2,
  maxUrlBytes: 8_192,
  maxHeaderBytes: 16_384,
  maxHeaders: 100,
  headersTimeoutSeconds: 10,
  requestTimeoutSeconds: 30,
  uploadTimeoutSeconds: 120,
  uploadFloorBytes: 8_192,
  downloadFloorBytes: 1_024,
  keepAliveSeconds: 5,
  idleSeconds: 60,
  stopGraceSeconds: 20,
  rateLimitFactor: 1,
  ratePerAddress: 60,
  ratePerKey: 600,
  ratePerAccount: 600,
  rateUploads: 600,
  rateViews: 6_000,
  rateVisitors: 600,
  rateTokens: 60,
  rateSignIn: 30,
  rateSignInAccount: 10,
  quotaPendingImages: 2_000,
  quotaBytes: 20 * 1024 ** 3,
  quotaRoutes: 10_000,
  maxStreamsPerAccount: 20,
  eventRetentionDays: 0,
  diskLowMegabytes: 2_048,
  otlpEndpoint: undefined,
  tracesEndpoint: undefined,
  otlpHeaders: {},
  tracesHeaders: {},
  otlpProtocol: 'http/protobuf',
  otlpTimeoutMs: 10_000,
  tracesExporter: 'otlp',
  tracesSampler: 'parentbased_always_on',
  tracesShare: 1,
  serviceName: undefined,
  resourceAttributes: {},
  sdkDisabled: 'false',
}

interface Case<Name extends keyof Config> {
  /** Texts, with the value that each means. */
  readonly good: readonly (readonly [text: string, value: Config[Name]])[]
  readonly bad: readonly string[]
}

const badNumbers = ['-1', '+1', '1.5', '1e3', '0x10', 'ten', '9007199254740992', '1 000', '٣']
const badUrls = [
  'trails.example',
  '//trails.example',
  'ftp://trails.example',
  'https://',
  'https://trails.example/?a=1',
  'https://trails.example/?',
  'https://trails.example/#a',
  'https://trails.example/#',
  'https://ann@trails.example',
  'https://ann:secret@trails.example',
  'https://:secret@trails.example',
]
const goodUrls = [
  ['https://trails.example', 'https://trails.example'],
  ['https://trails.example/', 'https://trails.example'],
  ['HTTP://Trails.Example:80', 'http://trails.example'],
  ['https://trails.example:8443/photos/v9//', 'https://trails.example:8443/photos/v9'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
] as const

/** A limit that the contract gives: lower is fine, higher is refused. */
const lowered = (max: number) => ({
  good: [
    ['1', 1],
    [String(max), max],
  ] as const,
  bad: [...badNumbers, '0', String(max + 1)],
})
const secondsCase = { good: [['1', 1]] as const, bad: [...badNumbers, '0', '86401'] }
const chosenCase = { good: [['7', 7]] as const, bad: [...badNumbers, '0'] }

const headersCase = {
  good: [['authorization=Bearer%20abc,x-team=trails', { authorization: 'Bearer abc', 'x-team': 'trails' }]],
  bad: ['authorization', 'a b=c', 'a=b%0d%0ac:d', 'a=é', ':=a'],
} as const

const cases: { readonly [Name in keyof Config]: Case<Name> } = {
  port: {
    good: [
      ['0', 0],
      ['443', 443],
      ['65535', 65_535],
    ],
    bad: [...badNumbers, '65536'],
  },
  host: {
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
    ],
    bad: [],
  },
  dataDir: {
    good: [
      ['/var/lib/waymark', path.resolve('/var/lib/waymark')],
      ['photos/', folderHere('photos')],
    ],
    bad: [],
  },
  publicUrl: { good: goodUrls, bad: badUrls },
  databasePlace: {
    good: [
      ['sqlite:/srv/waymark.sqlite', { engine: 'sqlite', file: path.resolve('/srv/waymark.sqlite') }],
      ['sqlite:here.sqlite', { engine: 'sqlite', file: folderHere('here.sqlite') }],
      ...[
        'postgres://ana:word@db.example:5433/waymark?sslmode=require',
        'postgresql://localhost/waymark',
      ].map((url): [string, DatabasePlace] => [url, { engine: 'postgres', url }]),
    ],
    bad: [
      '/srv/waymark.sqlite',
      'postgres://localhost',
      'postgres:',
      'mysql://localhost/waymark',
      'sqlite',
      'sqlite:',
    ],
  },
  databaseConnections: {
    good: [
      ['1', 1],
      ['100', 100],
    ],
    bad: ['0', '1001', '1.5', 'many'],
  },
  blobPlace: {
    good: [
      ['file:/srv/blobs', { store: 'files', folder: path.resolve('/srv/blobs') }],
      ['file:///srv/blobs', { store: 'files', folder: path.resolve('/srv/blobs') }],
      ['s3://photos', bucketOf({})],
      ['s3://photos/', bucketOf({})],
      ['s3://my.photos-1/trails/2026/', bucketOf({ bucket: 'my.photos-1', prefix: 'trails/2026' })],
      ['s3://photos?region=eu-central-1', bucketOf({ region: 'eu-central-1' })],
      [
        's3://photos?endpoint=https://minio.example:9000/',
        bucketOf({ endpoint: 'https://minio.example:9000', region: 'us-east-1', pathStyle: true }),
      ],
      [
        's3://photos?endpoint=https%3A%2F%2Fr2.example&region=auto&path-style=false',
        bucketOf({ endpoint: 'https://r2.example', region: 'auto' }),
      ],
      ['s3://photos?path-style=true', bucketOf({ pathStyle: true })],
    ],
    bad: [
      '/srv/blobs',
      'file',
      'file:',
      's3:',
      's3://',
      's3:///photos',
      's3://photos:9000',
      's3://photos#here',
      's3://Photos',
      's3://ph_otos',
      's3://photos?endpoint=https://a%00.example',
      's3://key@photos',
      's3://key:secret@photos',
      's3://photos//trails',
      's3://photos/a%20b',
      's3://photos?colour=green',
      's3://photos?region=a&region=b',
      's3://photos?region=eu central',
      's3://photos?path-style=yes',
      's3://photos?endpoint=',
      's3://photos?endpoint=minio.example',
      's3://photos?endpoint=ftp://minio.example',
      's3://photos?endpoint=https://key:secret@minio.example',
      'gs://photos',
    ],
  },
  secretFile: { good: [['/run/secrets/waymark', path.resolve('/run/secrets/waymark')]], bad: [] },
  imageHandlerUrl: { good: goodUrls, bad: badUrls },
  trustProxy: {
    good: [
      ['10.0.0.0/8, 192.168.0.1 ::1', ['10.0.0.0/8', '192.168.0.1', '::1']],
      ['fd00::/8,127.0.0.1/32', ['fd00::/8', '127.0.0.1/32']],
    ],
    bad: ['localhost', '10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.1/', '10.0.0.1/a', '10.0.0.0/8/8', '*'],
  },
  corsOrigins: {
    good: [
      ['https://a.example, http://localhost:5173', ['https://a.example', 'http://localhost:5173']],
      ['https://a.example', ['https://a.example']],
    ],
    bad: ['a.example', 'https://a.example/', 'https://a.example/page', '*', 'null', 'https://A.example'],
  },
  trustedIssuers: { good: [['[]', []]], bad: ['{}', '[', '[{}]', '[1]', 'no-such-file.json', '/'] },
  rateLimitFactor: {
    good: [
      ['1000', 1_000],
      ['0.25', 0.25],
    ],
    bad: ['0', '0.0', '-1', '1e3', '.5', '5.', 'NaN', 'Infinity', 'many', '9'.repeat(400)],
  },
  quotaPendingImages: {
    good: [
      ['0', 0],
      ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ],
    bad: badNumbers,
  },
  quotaBytes: { good: [['1', 1]], bad: [...badNumbers, '20GiB'] },
  hstsSubdomains: { good: [['on', 'on']], bad: ['yes', 'On', '1'] },
  webApp: { good: [['off', 'off']], bad: ['no', 'On', '0'] },
  siteName: { good: [['Ridge Trail Photos', 'Ridge Trail Photos']], bad: [] },
  mapPmtiles: { good: [['maps/base.pmtiles', folderHere('maps/base.pmtiles')]], bad: [] },
  mapStyleOrigins: {
    good: [['https://a.example, https://b.example:8443', ['https://a.example', 'https://b.example:8443']]],
    bad: ['http://a.example', 'https://a;b.example', 'https://a.example/path', 'a.example'],
  },
  mapStyleUrl: {
    good: [['https://tiles.example/style.json?key=a', 'https://tiles.example/style.json?key=a']],
    bad: [
      'http://tiles.example/style.json',
      'tiles.example',
      'https://',
      'https://a;b.example/',
      'https://ann@tiles.example/',
      'https://[::1]/style.json',
    ],
  },
  imageMaxAge: {
    good: [
      ['0', 0],
      ['31536000', 31_536_000],
    ],
    bad: [...badNumbers, '31536001'],
  },
  offload: {
    good: [
      ['off', undefined],
      ['x-accel:/files/', { kind: 'x-accel', location: '/files/' }],
      ['x-accel:/a_b-c/D1/', { kind: 'x-accel', location: '/a_b-c/D1/' }],
    ],
    bad: [
      'on',
      'x-accel',
      'x-accel:',
      'x-accel:/',
      'x-accel:files/',
      'x-accel:/files',
      'x-accel://files/',
      'x-accel:/../files/',
      'x-accel:/fi%6ces/',
      'x-accel:/files/?a/',
      'x-accel:/files /',
      'x-accel:/files/\nX: y/',
    ],
  },
  pendingView: { good: [['owner', 'owner']], bad: ['nobody', 'Owner', 'owner,anyone'] },
  xmlEmail: { good: [['always', 'always']], bad: ['never', 'true', 'ALWAYS'] },
  takenAt: {
    good: [
      ['exact', 'exact'],
      ['hidden', 'hidden'],
    ],
    bad: ['none', 'Day', 'exact,day'],
  },
  backupSchedule: {
    good: [
      ['15 3 * * *', '15 3 * * *'],
      ['@daily', '@daily'],
      ['off', undefined],
    ],
    bad: ['daily 03:15', '15 3 * *', '0 15 3 * * *', '61 3 * * *', '0 0 30 2 *', '2030-01-01T00:00:00', 'on'],
  },
  backupPlace: {
    good: [
      ['/backup', { store: 'files', folder: path.resolve('/backup') }],
      ['file:/backup', { store: 'files', folder: path.resolve('/backup') }],
      ['s3://backups/waymark', bucketOf({ bucket: 'backups', prefix: 'waymark' })],
    ],
    bad: ['backup', 'file:backup', 'https://store.example/backup', 's3://'],
  },
  backupKeep: { good: [['1', 1]], bad: ['0', '-1', 'all'] },
  siteTimeZone: {
    good: [
      ['Europe/Zurich', 'Europe/Zurich'],
      ['Etc/GMT+10', 'Etc/GMT+10'],
    ],
    bad: ['Mars/Olympus', 'CEST+1', '2'],
  },
  adminEmail: { good: [['ann@trails.example', 'ann@trails.example']], bad: [] },
  adminPasswordFile: { good: [['/run/secrets/admin', '/run/secrets/admin']], bad: [] },
  signUp: {
    good: [
      ['open', 'open'],
      ['closed', 'closed'],
    ],
    bad: ['yes', 'Open', 'open,invite'],
  },
  smtpUrl: {
    good: [
      ['smtp://mail.example:587', 'smtp://mail.example:587'],
      ['smtps://ann:secret@mail.example', 'smtps://ann:secret@mail.example'],
    ],
    bad: ['mail.example', 'https://mail.example', 'smtp:', 'smtp://', 'smtp://m%00ail.example', 'smtp://a_b'],
  },
  mailFrom: { good: [['photos@trails.example', 'photos@trails.example']], bad: [] },
  reviewMailHour: {
    good: [
      ['0', 0],
      ['23', 23],
      ['off', undefined],
    ],
    bad: [...badNumbers, '24', 'Off', 'never'],
  },
  staffSignIn: { good: [['passkey', 'passkey']], bad: ['password', 'Any'] },
  edits: { good: [['require-review', 'pend']], bad: ['never', 'pend'] },
  farFromTrailMetres: {
    good: [
      ['0', 0],
      ['250', 250],
    ],
    bad: [...badNumbers, '20100001'],
  },
  routeDate: { good: [['full', 'full']], bad: ['long', 'Full'] },
  emptyRoutes: { good: [['200', '200']], bad: ['204', 'no'] },
  gpxCheck: { good: [['off', 'off']], bad: ['0', 'no'] },
  metricsAllow: { good: [['10.0.0.0/8', ['10.0.0.0/8']]], bad: ['everyone', '10.0.0.0/33'] },
  webhookAllow: {
    good: [['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']]],
    bad: ['private', '10.0.0.0/33', '10.0.0.0/', 'fd00::/129'],
  },
  webhookBackoffSeconds: {
    good: [
      ['1', [1]],
      ['5, 36000', [5, 36_000]],
    ],
    bad: ['0', '36001', '5 soon', '1.5', '-5', ',', Array.from({ length: 21 }, () => '5').join(' ')],
  },
  maxImageBytes: lowered(8_388_608),
  maxImageSide: lowered(16_384),
  maxImageMegapixels: lowered(100),
  maxDecodedMegabytes: lowered(400),
  maxImageFrames: lowered(1_000),
  maxMetadataBytes: lowered(1_048_576),
  maxInflatedMetadataBytes: lowered(262_144),
  jobSeconds: secondsCase,
  jobs: { good: [['1', 1]], bad: [...badNumbers, '0', '257'] },
  jobQueue: { good: [['0', 0]], bad: badNumbers },
  imageCacheMegabytes: { good: [['0', 0]], bad: badNumbers },
  listCacheMegabytes: { good: [['0', 0]], bad: badNumbers },
  answerCacheMegabytes: { good: [['0', 0]], bad: badNumbers },
  maxDetailsBytes: lowered(65_536),
  maxRouteBytes: lowered(25_165_824),
  maxGpxBytes: lowered(8_388_608),
  maxImportBytes: chosenCase,
  maxUrlBytes: lowered(8_192),
  maxHeaderBytes: lowered(16_384),
  maxHeaders: lowered(100),
  headersTimeoutSeconds: secondsCase,
  requestTimeoutSeconds: secondsCase,
  uploadTimeoutSeconds: secondsCase,
  uploadFloorBytes: { good: [['0', 0]], bad: badNumbers },
  downloadFloorBytes: { good: [['0', 0]], bad: badNumbers },
  keepAliveSeconds: secondsCase,
  idleSeconds: secondsCase,
  stopGraceSeconds: secondsCase,
  ratePerAddress: chosenCase,
  ratePerKey: chosenCase,
  ratePerAccount: chosenCase,
  rateUploads: chosenCase,
  rateViews: chosenCase,
  rateVisitors: chosenCase,
  rateTokens: chosenCase,
  rateSignIn: chosenCase,
  rateSignInAccount: chosenCase,
  quotaRoutes: { good: [['0', 0]], bad: badNumbers },
  maxStreamsPerAccount: chosenCase,
  eventRetentionDays: {
    good: [
      ['0', 0],
      ['7', 7],
      ['36500', 36_500],
    ],
    bad: ['6', '36501', '-1', '1.5', 'never'],
  },
  diskLowMegabytes: { good: [['0', 0]], bad: badNumbers },
  otlpEndpoint: { good: goodUrls, bad: [...badUrls, 'http://a_b.example'] },
  tracesEndpoint: { good: goodUrls, bad: [...badUrls, "http://a'b.example"] },
  otlpHeaders: headersCase,
  tracesHeaders: headersCase,
  otlpProtocol: { good: [['http/json', 'http/json']], bad: ['grpc', 'HTTP/JSON'] },
  otlpTimeoutMs: { good: [['1', 1]], bad: [...badNumbers, '0', '60001'] },
  tracesExporter: { good: [['none', 'none']], bad: ['zipkin', 'otlp,console'] },
  tracesSampler: {
    good: [
      ['always_off', 'always_off'],
      ['parentbased_traceidratio', 'parentbased_traceidratio'],
    ],
    bad: ['on', 'xray'],
  },
  tracesShare: {
    good: [
      ['0', 0],
      ['0.25', 0.25],
      ['1', 1],
    ],
    bad: ['-1', '1.1', '1e-1', '.5', 'half'],
  },
  serviceName: { good: [['trails', 'trails']], bad: [] },
  resourceAttributes: {
    good: [
      ['service.instance.id=node-1,a = b%2Cc ,', { 'service.instance.id': 'node-1', a: 'b,c' }],
      ['a=b=c', { a: 'b=c' }],
    ],
    bad: ['a', '=b', 'a=%', 'a b=c', 'a=%0a'],
  },
  sdkDisabled: { good: [['true', 'true']], bad: ['1', 'yes'] },
}

const names = Object.keys(settings) as (keyof Config)[]

/** What must be set along with a setting. */
function beside(name: keyof Config): Environment {
  if (name === 'port') return { PUBLIC_URL: 'http://trails.example' }
  if (name === 'offload') return { TRUST_PROXY: '127.0.0.1' }
  if (name === 'backupSchedule') return { BACKUP_TO: '/backup' }
  if (name === 'adminEmail') return { ADMIN_PASSWORD_FILE: 'somewhere' }
  return name === 'adminPasswordFile' ? { ADMIN_EMAIL: 'somebody' } : {}
}

const read = (name: keyof Config, text: string): Config =>
  readConfig({ ...beside(name), [settings[name].variable]: text })

void test('D1: no setting is required', () => {
  assert.deepEqual(readConfig({}), defaults)
  const blank = Object.fromEntries(names.map((name) => [settings[name].variable, ' \t']))
  assert.deepEqual(readConfig(blank), defaults, 'a blank value is none')
})

void test('every setting accepts its valid values', () => {
  for (const name of names) {
    assert.ok(cases[name].good.length > 0, name)
    for (const [text, value] of cases[name].good) {
      assert.deepEqual(read(name, text)[name], value, `${settings[name].variable}=${text}`)
      assert.deepEqual(read(name, `  ${text} `)[name], value, 'blanks around a value are overlooked')
    }
  }
})

void test('D2: an invalid value is refused in one sentence that names the variable', () => {
  for (const name of names) {
    const { variable } = settings[name]
    for (const text of cases[name].bad) {
      assert.throws(
        () => read(name, text),
        (error: unknown) => {
          assert.ok(error instanceof RangeError)
          assert.match(error.message, new RegExp(`^${variable} must [^\\n]+[^.]\\.$`))
          return true
        },
        `${variable}=${text}`,
      )
    }
  }
})

void test('the first admin needs both ADMIN_EMAIL and ADMIN_PASSWORD_FILE', () => {
  for (const variable of ['ADMIN_EMAIL', 'ADMIN_PASSWORD_FILE']) {
    assert.throws(() => readConfig({ [variable]: 'x' }), {
      name: 'RangeError',
      message: 'ADMIN_EMAIL and ADMIN_PASSWORD_FILE must be set together.',
    })
  }
})

void test('OFFLOAD requires TRUST_PROXY', () => {
  assert.throws(() => readConfig({ OFFLOAD: 'x-accel:/files/' }), {
    name: 'RangeError',
    message: /^OFFLOAD requires TRUST_PROXY.+\.$/,
  })
})

void test('OFFLOAD to nginx requires a BLOB_URL with files', () => {
  const environment = { OFFLOAD: 'x-accel:/files/', TRUST_PROXY: '127.0.0.1', BLOB_URL: 's3://photos' }
  assert.throws(() => readConfig(environment), {
    name: 'RangeError',
    message: /^OFFLOAD x-accel requires BLOB_URL .+\.$/,
  })
})

void test('a key in the bucket’s address is not repeated in the error', () => {
  const wrong = (): unknown => readConfig({ BLOB_URL: 's3://AKIAKEY:hush@photos' })
  assert.throws(wrong, ({ message }: Error) => !/AKIAKEY|hush/.test(message))
})

void test('a port chosen by the system requires a PUBLIC_URL', () => {
  assert.throws(() => readConfig({ PORT: '0' }), {
    name: 'RangeError',
    message: /^PORT 0 requires PUBLIC_URL.+\.$/,
  })
})

void test('defaults follow the settings they depend on', () => {
  const { databasePlace, blobPlace, secretFile } = readConfig({ DATA_DIR: '/srv/waymark' })
  assert.deepEqual(
    [fileOf(databasePlace), nameOfPlace(blobPlace), secretFile],
    ['waymark.sqlite', 'blobs', 'secret'].map((name) => path.resolve('/srv/waymark', name)),
  )
  const { publicUrl, imageHandlerUrl } = readConfig({ HOST: '::', PORT: '9000' })
  assert.deepEqual([publicUrl, imageHandlerUrl], ['http://[::]:9000', 'http://[::]:9000/ImageHandler'])
  const mounted = readConfig({ PUBLIC_URL: 'https://trails.example/photos/', SECRET_FILE: '/run/secret' })
  assert.equal(mounted.publicUrl, 'https://trails.example/photos')
  assert.equal(mounted.imageHandlerUrl, 'https://trails.example/photos/ImageHandler')
  assert.equal(mounted.secretFile, path.resolve('/run/secret'))
})

void test('doctor shows every setting in the order of the table, and which ones are defaults', () => {
  const lines = describeSettings({ PORT: ' 9000 ', HOST: '' })
  assert.deepEqual(
    lines.map(({ variable }) => variable),
    names.map((name) => settings[name].variable),
  )
  const shown = new Map(lines.map((line) => [line.variable, line]))
  assert.deepEqual([shown.get('PORT')?.value, shown.get('PORT')?.isDefault], ['9000', false])
  assert.deepEqual([shown.get('HOST')?.value, shown.get('HOST')?.isDefault], ['127.0.0.1', true])
  assert.equal(shown.get('PUBLIC_URL')?.value, 'http://127.0.0.1:9000')
  for (const { help } of lines) assert.match(help, /^[A-Z].+\.$/)
})

void test('the printed mail server leaves out its password', () => {
  const lines = describeSettings({ SMTP_URL: 'smtps://ann:pass%20word@mail.example:465' })
  const line = lines.find(({ variable }) => variable === 'SMTP_URL')
  assert.equal(line?.value, 'smtps://ann:…@mail.example:465')
})

void test('traces go below the endpoint or to an address of their own, with the shared headers or their own', () => {
  const endpoint = 'http://collector.example:4318/otlp/'
  const below = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })
  assert.equal(below.tracesEndpoint, 'http://collector.example:4318/otlp/v1/traces')
  assert.deepEqual(below.tracesHeaders, { a: 'b' })
  const own = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=b',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'c=d',
  })
  assert.deepEqual([own.tracesEndpoint, own.tracesHeaders], ['https://traces.example/in', { c: 'd' }])
})

void test('the printed headers for the collector leave out their values', () => {
  const lines = describeSettings({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-key=secret' })
  for (const name of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']) {
    const line = lines.find(({ variable }) => variable === name)
    assert.equal(line?.value, 'authorization=…,x-key=…')
  }
})

void test('a backup schedule requires a place for backups, outside of the photos', () => {
  const schedule = { BACKUP_SCHEDULE: '15 3 * * *' }
  assert.throws(() => readConfig(schedule), { message: 'BACKUP_SCHEDULE requires BACKUP_TO.' })
  const insides = [
    ['/srv/blobs/backup', 'file:/srv/blobs'],
    ['/srv/blobs', 'file:/srv/blobs'],
    ['s3://photos/backup', 's3://photos'],
    ['s3://photos/a/b', 's3://photos/a'],
  ]
  for (const [to = '', photos = ''] of insides)
    assert.throws(() => readConfig({ ...schedule, BACKUP_TO: to, BLOB_URL: photos }), {
      message: /^BACKUP_TO must not be inside BLOB_URL, .+\.$/,
    })
  assert.throws(() => readConfig({ ...schedule, DATA_DIR: '/srv/data', BACKUP_TO: '/srv/data/drill/a' }), {
    message: 'BACKUP_TO must not be inside /srv/data/drill, which "waymark drill" deletes.',
  })
  const apart = [
    ['/srv/blobs-backup', 'file:/srv/blobs'],
    ['s3://photos/ab', 's3://photos/a'],
    ['s3://backups', 's3://photos'],
  ]
  for (const [to = '', photos = ''] of apart) readConfig({ ...schedule, BACKUP_TO: to, BLOB_URL: photos })
})
