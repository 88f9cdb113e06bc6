// The limits as settings: what a request, an image, an address and an account may use. Part of the table in config.ts.
import { availableParallelism } from 'node:os'
import { positiveNumber, renamed, setting, wholeNumber, zeroOr } from './setting-kinds.ts'

const KiB = 1024
const MiB = 1024 ** 2
const GiB = 1024 ** 3

/** A limit that the contract gives, or that safety needs: it may be lowered, never raised. */
const atMost = (variable: string, max: number, help: string) =>
  setting(variable, String(max), help, wholeNumber(1, max))

/** A limit that is the operator's to choose. */
const chosen = (variable: string, standard: number, help: string, min = 1) =>
  setting(variable, String(standard), help, wholeNumber(min, Number.MAX_SAFE_INTEGER))

const seconds = (variable: string, standard: number, help: string) =>
  setting(variable, String(standard), help, wholeNumber(1, 86_400))

export const limitSettings = {
  maxImageBytes: atMost('MAX_IMAGE_BYTES', 8 * MiB, 'Maximum size of an uploaded photo, in bytes.'),
  maxImageSide: atMost('MAX_IMAGE_SIDE', 16_384, 'Maximum length of the longer side of a photo, in pixels.'),
  maxImageMegapixels: atMost('MAX_IMAGE_MEGAPIXELS', 100, 'Maximum megapixels of a photo.'),
  maxDecodedMegabytes: atMost(
    'MAX_DECODED_MEGABYTES',
    400,
    'Maximum size of a decoded photo in megabytes (10^6), all frames together.',
  ),
  maxImageFrames: atMost('MAX_IMAGE_FRAMES', 1_000, 'Maximum number of frames in an animation.'),
  maxMetadataBytes: atMost(
    'MAX_METADATA_BYTES',
    MiB,
    'Maximum size of the metadata read from a photo, in bytes.',
  ),
  maxInflatedMetadataBytes: atMost(
    'MAX_INFLATED_METADATA_BYTES',
    256 * KiB,
    'Maximum decompressed size of one metadata block, in bytes.',
  ),
  jobSeconds: seconds('IMAGE_JOB_SECONDS', 10, 'Maximum processing time for one photo, in seconds.'),
  jobs: setting(
    'IMAGE_JOBS',
    () => String(availableParallelism()),
    'Number of photos processed in parallel; by default one per core.',
    wholeNumber(1, 256),
  ),
  jobQueue: chosen(
    'IMAGE_QUEUE',
    64,
    'Maximum number of photos waiting to be processed; further ones get 503.',
    0,
  ),
  imageCacheMegabytes: chosen(
    'IMAGE_CACHE_MEGABYTES',
    96,
    'Memory for caching frequently viewed images, in megabytes, a third of it for size lg; 0 turns the cache off.',
    0,
  ),
  listCacheMegabytes: chosen(
    'LIST_CACHE_MEGABYTES',
    64,
    'Memory for caching the image lists of trails, in megabytes (least recently used are dropped first); 0 turns the cache off.',
    0,
  ),
  answerCacheMegabytes: chosen(
    'ANSWER_CACHE_MEGABYTES',
    32,
    'Memory for complete responses that are sent again until their data changes, in megabytes (least recently used are dropped first); pages that were rendered take up to a quarter of it in addition. 0 turns both caches off.',
    0,
  ),
  maxDetailsBytes: atMost(
    'MAX_DETAILS_BYTES',
    64 * KiB,
    'Maximum size of a details body (JSON or XML), in bytes.',
  ),
  maxRouteBytes: atMost(
    'MAX_ROUTE_BYTES',
    24 * MiB,
    'Maximum size of a route body, in bytes; a GPX takes more space there than on its own.',
  ),
  maxGpxBytes: atMost('MAX_GPX_BYTES', 8 * MiB, 'Maximum size of one GPX, in bytes.'),
  maxImportBytes: chosen(
    'MAX_IMPORT_BYTES',
    64 * MiB,
    'Maximum size of an import (several GPX files, or a trail file), in bytes.',
  ),
  maxUrlBytes: atMost('MAX_URL_BYTES', 8 * KiB, 'Maximum length of a request URL, in bytes.'),
  maxHeaderBytes: atMost('MAX_HEADER_BYTES', 16 * KiB, 'Maximum size of the request headers, in bytes.'),
  maxHeaders: atMost('MAX_HEADERS', 100, 'Maximum number of request headers.'),
  headersTimeoutSeconds: seconds(
    'HEADERS_TIMEOUT',
    10,
    'Maximum time in seconds to receive the request headers.',
  ),
  requestTimeoutSeconds: seconds(
    'REQUEST_TIMEOUT',
    30,
    'Maximum time in seconds to receive a complete request.',
  ),
  uploadTimeoutSeconds: seconds(
    'UPLOAD_TIMEOUT',
    120,
    'Maximum time in seconds to receive a complete upload.',
  ),
  uploadFloorBytes: renamed(
    chosen(
      'UPLOAD_MIN_BYTES_PER_SECOND',
      8 * KiB,
      'Minimum average upload speed, in bytes per second; slower uploads are aborted. 0 for no minimum.',
      0,
    ),
    'UPLOAD_FLOOR',
  ),
  downloadFloorBytes: renamed(
    chosen(
      'DOWNLOAD_MIN_BYTES_PER_SECOND',
      1 * KiB,
      'Minimum average speed over IDLE_TIMEOUT at which a client must read a response, in bytes per second; slower clients are disconnected. 0 for no minimum.',
      0,
    ),
    'DOWNLOAD_FLOOR',
  ),
  keepAliveSeconds: seconds(
    'KEEP_ALIVE_TIMEOUT',
    5,
    'Maximum idle time of a connection between requests, in seconds.',
  ),
  idleSeconds: seconds(
    'IDLE_TIMEOUT',
    60,
    'Seconds without any data after which a connection is closed; while a response is sent, only what the client reads counts.',
  ),
  stopGraceSeconds: seconds(
    'STOP_GRACE',
    20,
    'Seconds that requests in progress have to finish when the server stops.',
  ),
  rateLimitFactor: setting(
    'RATE_LIMIT_FACTOR',
    '1',
    'Multiplies every rate limit; raise it for imports and benchmarks.',
    positiveNumber,
  ),
  ratePerAddress: chosen(
    'RATE_ADDRESS',
    60,
    'Requests per minute without a valid credential, for each address; invalid credentials count here.',
  ),
  ratePerKey: chosen('RATE_KEY', 600, 'Requests per minute for each API key.'),
  ratePerAccount: chosen('RATE_ACCOUNT', 600, 'Requests per minute for each account.'),
  rateUploads: chosen('RATE_UPLOADS', 600, 'Uploads per hour for each account.'),
  rateViews: chosen(
    'RATE_VIEWS',
    6_000,
    'Image views and pages per minute for each address. A page that must be rendered because it is not in memory counts as 10.',
  ),
  rateVisitors: chosen(
    'RATE_VISITORS',
    600,
    'Reads of public data per minute without a credential, for each address. As with every rate limit, an expensive request counts as several.',
  ),
  rateTokens: chosen('RATE_TOKEN', 60, 'Requests per minute to the token endpoint, for each address.'),
  rateSignIn: chosen(
    'RATE_SIGN_IN',
    30,
    'Failed sign-ins (passwords, links and passkeys) within 15 minutes from one address before further ones are delayed.',
  ),
  rateSignInAccount: chosen(
    'RATE_SIGN_IN_ACCOUNT',
    10,
    'Wrong passwords within an hour for one account from one address or known device before further ones are delayed; five times as many from all addresses together.',
  ),
  quotaPendingImages: chosen(
    'QUOTA_PENDING_IMAGES',
    2_000,
    'Maximum number of pending images per account; 0 for no limit.',
    0,
  ),
  quotaBytes: chosen(
    'QUOTA_BYTES',
    20 * GiB,
    'Maximum bytes of original photos per account, and the same again for GPX; 0 for no limit.',
    0,
  ),
  quotaRoutes: chosen('QUOTA_ROUTES', 10_000, 'Maximum number of routes per account; 0 for no limit.', 0),
  maxStreamsPerAccount: chosen(
    'MAX_STREAMS_PER_ACCOUNT',
    20,
    'Maximum number of open event streams per account; further ones get 429.',
  ),
  eventRetentionDays: setting(
    'EVENT_RETENTION_DAYS',
    '0',
    'Days that events stay in the feed (/v2/changes, /v2/events), at least 7; 0 keeps all of them. The history of decisions is always kept.',
    zeroOr(7, 36_500),
  ),
  diskLowMegabytes: renamed(
    chosen(
      'DISK_FREE_WARNING_MB',
      2_048,
      'Free disk space in megabytes below which the log, doctor and the metrics warn; 0 turns the warning off.',
      0,
    ),
    'DISK_LOW',
  ),
}

/** The bodies that some endpoint takes, by the settings that limit them; a form around one takes less than a megabyte more. */
const bodyLimits = [
  'maxImageBytes',
  'maxDetailsBytes',
  'maxRouteBytes',
  'maxGpxBytes',
  'maxImportBytes',
] as const

/**
 * The body size that a proxy in front must allow, in MiB: nginx calls it client_max_body_size. Waymark itself refuses
 * larger ones.
 */
export function largestBodyMebibytes(limits: Readonly<Record<(typeof bodyLimits)[number], number>>): number {
  return Math.ceil(Math.max(...bodyLimits.map((name) => limits[name])) / MiB) + 1
}
