// The limits as settings: what a request, an image, an address and an account may use. Part of the table in config.ts.
import { availableParallelism } from 'node:os'
import { positiveNumber, setting, wholeNumber } from './setting-kinds.ts'

const KiB = 1024
const MiB = 1024 ** 2
const GiB = 1024 ** 3

/** A limit that the contract gives, or that safety needs: it may be lowered, never raised. */
const atMost = (variable: string, most: number, help: string) =>
  setting(variable, String(most), help, wholeNumber(1, most))

/** A limit that is the operator's to choose. */
const chosen = (variable: string, standard: number, help: string, least = 1) =>
  setting(variable, String(standard), help, wholeNumber(least, Number.MAX_SAFE_INTEGER))

const seconds = (variable: string, standard: number, help: string) =>
  setting(variable, String(standard), help, wholeNumber(1, 86_400))

export const limitSettings = {
  maxImageBytes: atMost('MAX_IMAGE_BYTES', 8 * MiB, 'Bytes of one uploaded photo.'),
  maxImageSide: atMost('MAX_IMAGE_SIDE', 16_384, 'Pixels of the longer side of a photo.'),
  maxImageMegapixels: atMost('MAX_IMAGE_MEGAPIXELS', 100, 'Megapixels of a photo.'),
  maxDecodedMegabytes: atMost(
    'MAX_DECODED_MEGABYTES',
    400,
    'Megabytes (10^6) of a photo once decoded, all frames counted.',
  ),
  maxImageFrames: atMost('MAX_IMAGE_FRAMES', 1_000, 'Frames of an animation.'),
  maxMetadataBytes: atMost('MAX_METADATA_BYTES', MiB, 'Bytes of metadata that are read of a photo.'),
  maxInflatedMetadataBytes: atMost(
    'MAX_INFLATED_METADATA_BYTES',
    256 * KiB,
    'Bytes that one compressed piece of metadata may inflate to.',
  ),
  jobSeconds: seconds('IMAGE_JOB_SECONDS', 10, 'Seconds that the work on one photo may take.'),
  jobs: setting(
    'IMAGE_JOBS',
    () => String(availableParallelism()),
    'Photos worked on at once; by default one for each core.',
    wholeNumber(1, 256),
  ),
  jobQueue: chosen('IMAGE_QUEUE', 64, 'Photos that may wait to be worked on; one more is answered 503.', 0),
  imageCacheMegabytes: chosen(
    'IMAGE_CACHE_MEGABYTES',
    96,
    'Megabytes of memory for images that are viewed often, a third of them for size lg; 0 for none.',
    0,
  ),
  listCacheMegabytes: chosen(
    'LIST_CACHE_MEGABYTES',
    64,
    'Megabytes of memory for the image lists of trails, those asked for least lately making room; 0 for none.',
    0,
  ),
  maxDetailsBytes: atMost('MAX_DETAILS_BYTES', 64 * KiB, 'Bytes of a body of details, JSON or XML.'),
  maxRouteBytes: atMost(
    'MAX_ROUTE_BYTES',
    24 * MiB,
    'Bytes of a body with a route, in which a gpx is longer than by itself.',
  ),
  maxGpxBytes: atMost('MAX_GPX_BYTES', 8 * MiB, 'Bytes of one gpx.'),
  maxImportBytes: chosen(
    'MAX_IMPORT_BYTES',
    64 * MiB,
    'Bytes of several GPX files, or of a file of trails, imported at once.',
  ),
  maxUrlBytes: atMost('MAX_URL_BYTES', 8 * KiB, 'Bytes of the address of a request.'),
  maxHeaderBytes: atMost('MAX_HEADER_BYTES', 16 * KiB, 'Bytes of the headers of a request.'),
  maxHeaders: atMost('MAX_HEADERS', 100, 'Headers of a request.'),
  headersTimeoutSeconds: seconds(
    'HEADERS_TIMEOUT',
    10,
    'Seconds within which the headers of a request must have come.',
  ),
  requestTimeoutSeconds: seconds(
    'REQUEST_TIMEOUT',
    30,
    'Seconds within which a request must have come whole.',
  ),
  uploadTimeoutSeconds: seconds(
    'UPLOAD_TIMEOUT',
    120,
    'Seconds within which an upload must have come whole.',
  ),
  uploadFloorBytes: chosen(
    'UPLOAD_FLOOR',
    8 * KiB,
    'Bytes a second that an upload must reach on average; a slower one is ended. 0 for no floor.',
    0,
  ),
  downloadFloorBytes: chosen(
    'DOWNLOAD_FLOOR',
    1 * KiB,
    'Bytes a second that a reader of an answer must take on average over IDLE_TIMEOUT; a slower one is cut off. 0 for no floor.',
    0,
  ),
  keepAliveSeconds: seconds('KEEP_ALIVE_TIMEOUT', 5, 'Seconds that a connection may idle between requests.'),
  idleSeconds: seconds(
    'IDLE_TIMEOUT',
    60,
    'Seconds after which a connection on which nothing moves is closed; of an answer that is being sent, only what the reader takes counts.',
  ),
  stopGraceSeconds: seconds(
    'STOP_GRACE',
    20,
    'Seconds that requests under way have to finish when the server is told to stop.',
  ),
  rateLimitFactor: setting(
    'RATE_LIMIT_FACTOR',
    '1',
    'Multiplies every rate limit; imports and benchmarks raise it.',
    positiveNumber,
  ),
  ratePerAddress: chosen(
    'RATE_ADDRESS',
    60,
    'Requests a minute without a good credential, for each address; wrong credentials count here.',
  ),
  ratePerKey: chosen('RATE_KEY', 600, 'Requests a minute for each API key.'),
  ratePerAccount: chosen('RATE_ACCOUNT', 600, 'Requests a minute for each account.'),
  rateUploads: chosen('RATE_UPLOADS', 600, 'Uploads an hour for each account.'),
  rateViews: chosen('RATE_VIEWS', 6_000, 'Image views a minute for each address.'),
  rateVisitors: chosen(
    'RATE_VISITORS',
    600,
    'Reads of what is public a minute without a credential, for each address. Like every limit of requests, it counts an answer that takes much work as several.',
  ),
  rateTokens: chosen('RATE_TOKEN', 60, 'Requests a minute to the token endpoint, for each address.'),
  rateSignIn: chosen(
    'RATE_SIGN_IN',
    30,
    'Wrong passwords, links and passkeys within 15 minutes from one address, before further ones have to wait.',
  ),
  rateSignInAccount: chosen(
    'RATE_SIGN_IN_ACCOUNT',
    10,
    'Wrong passwords within an hour on one account from one address or known device, before further ones have to wait; five times as many from everywhere.',
  ),
  quotaPendingImages: chosen(
    'QUOTA_PENDING_IMAGES',
    2_000,
    'Pending images an account may have; 0 for no limit.',
    0,
  ),
  quotaBytes: chosen(
    'QUOTA_BYTES',
    20 * GiB,
    'Bytes of originals an account may store, and again of gpx; 0 for no limit.',
    0,
  ),
  quotaRoutes: chosen('QUOTA_ROUTES', 10_000, 'Routes an account may have; 0 for no limit.', 0),
  maxStreamsPerAccount: chosen(
    'MAX_STREAMS_PER_ACCOUNT',
    20,
    'Streams of events that an account may have open at once; one more is answered 429.',
  ),
  diskLowMegabytes: chosen(
    'DISK_LOW',
    2_048,
    'Megabytes of free disk below which the log, doctor and the metrics warn; 0 for never.',
    0,
  ),
}
