// The closed list of refusals: every expected failure, its status, its exact message and what to do about it.
// Over 300 lines because it is one list: docs, OpenAPI, the problem pages and tests go through it.
import type { Language } from './shared/languages.ts'

export interface RefusalEntry {
  /** HTTP status. */
  readonly status: number
  /** The exact message: the `title` of the problem document (contract C37). */
  readonly title: string
  /** The `detail` of the problem document where the code that refuses has nothing more exact to say. */
  readonly detail: string
  /** One or two sentences for the page behind the problem's `type`: what it means and what to do. */
  readonly help: string
}

/** Every refusal Waymark can answer with. Docs, OpenAPI, the problem pages and tests enumerate this list. */
export const refusals = {
  'bad-request': {
    status: 400,
    title: 'Bad Request',
    detail: 'The request line, a header or the URL could not be read.',
    help: 'The request line, a header or the URL could not be read. Check the URL for stray characters and the headers for line breaks.',
  },
  'malformed-body': {
    status: 400,
    title: 'The body could not be read',
    detail: 'The body is malformed.',
    help: 'The body is not well-formed JSON or XML, or it uses something Waymark does not accept: a DOCTYPE, an undeclared entity, nesting deeper than 64 levels, or characters that XML 1.0 forbids. The detail gives the line and column.',
  },
  'invalid-field': {
    status: 400,
    title: 'Invalid field value',
    detail: 'A field has an invalid value.',
    help: 'The detail names the field and the rule. Nothing was stored: fix the field and retry.',
  },
  'invalid-query': {
    status: 400,
    title: 'Invalid query parameter',
    detail: 'A query parameter has an invalid value.',
    help: 'The detail names the parameter and the values it accepts.',
  },
  'empty-image': {
    status: 400,
    title: 'The image is empty',
    detail: 'The request has no body; send the raw bytes of the image.',
    help: 'The body of an upload must be the raw bytes of the image; this one was empty. With curl: -H "Content-Type: image/jpeg" --data-binary @photo.jpg.',
  },
  'invalid-header': {
    status: 400,
    title: 'Invalid header',
    detail: 'A header has an invalid value.',
    help: 'The detail names the header and the values it accepts.',
  },
  'credential-required': {
    status: 401,
    title: 'A credential is required',
    detail: 'The request has neither an API key nor a bearer token.',
    help: 'Reading a list requires an API key (api_key=… or X-API-Key) or a bearer token; writing requires a bearer token from /oauth/token.',
  },
  'invalid-api-key': {
    status: 401,
    title: 'Invalid API Key',
    detail: 'The API key is unknown, expired or revoked.',
    help: 'The API key is unknown, expired or revoked. Ask for a new one, or create one with "waymark keys create".',
  },
  'invalid-token': {
    status: 401,
    title: 'Invalid Access Token',
    detail: 'The bearer token is unknown, expired or revoked.',
    help: 'The bearer token is unknown, expired or revoked. Get a new one from /oauth/token and retry.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    detail: 'The credential does not allow this.',
    help: 'The credential does not allow this: the resource belongs to another account, or the account does not have the required role. On the classic route endpoints this is also the response to an invalid or revoked token.',
  },
  'insufficient-scope': {
    status: 403,
    title: 'The token lacks a scope',
    detail: 'The token does not have the required scope.',
    help: 'The detail names the scope. Request it when you get the token; the client must have been created with it.',
  },
  'wrong-sign-in': {
    status: 403,
    title: 'Incorrect email address or password',
    detail: 'No account matches this email address and password.',
    help: 'No account has this email address and password. Check both, or reset your password with the link below the form.',
  },
  'wrong-password': {
    status: 403,
    title: 'Incorrect password',
    detail: 'The current password is incorrect.',
    help: 'Changing how you sign in requires your current password. Nothing was changed.',
  },
  'wrong-passkey': {
    status: 403,
    title: 'Passkey not accepted',
    detail: 'The passkey does not belong to an account here, or the sign-in took too long.',
    help: 'The passkey does not belong to an account here, or the sign-in took too long. Try again, or sign in another way.',
  },
  'no-passkeys': {
    status: 403,
    title: 'Passkeys are not available',
    detail: 'Passkeys are not available at this address.',
    help: 'Browsers support passkeys only on a named host, over HTTPS or on localhost. The setting PUBLIC_URL must name such a host.',
  },
  'passkey-required': {
    status: 403,
    title: 'Passkey required',
    detail: 'Reviewers and admins must sign in with a passkey; this session was started without one.',
    help: 'On this site, reviewers and admins must sign in with a passkey. Sign in with yours; if you have none yet, add your first one at /account/passkeys.',
  },
  'stale-session': {
    status: 403,
    title: 'Sign in again to continue',
    detail: 'You signed in more than ten minutes ago; sign in again, or send your current password.',
    help: 'Changing how you sign in requires a sign-in within the last ten minutes, or your current password. Sign in again and retry.',
  },
  'account-suspended': {
    status: 403,
    title: 'The account is suspended',
    detail: 'This account is suspended.',
    help: 'The account has been suspended, so it cannot be used to sign in. Contact the site administrator.',
  },
  'sign-up-closed': {
    status: 403,
    title: 'Sign-up is by invitation only',
    detail: 'An invitation is required to create an account here.',
    help: 'This site does not allow open sign-up (the setting SIGN_UP). Ask the site administrator for an invitation.',
  },
  'foreign-form': {
    status: 403,
    title: 'The form was not sent from this site',
    detail: 'The form was sent from a page of another site.',
    help: 'Forms are accepted only from pages of this site, so that no other site can act on your behalf. Open the page again at the address in PUBLIC_URL and send the form from there.',
  },
  'quota-reached': {
    status: 403,
    title: 'Quota exceeded',
    detail: 'The account has reached one of its quotas.',
    help: 'The detail gives the limit and the current count. Wait until pending photos are reviewed, or ask the operator to raise the quota.',
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'There is nothing at this address.',
    help: 'There is nothing at this address. The paths are listed in /openapi.json.',
  },
  'invalid-account-id': {
    status: 404,
    title: 'Invalid Account ID',
    detail: 'There is no account with the ID in the address.',
    help: 'There is no account with this ID.',
  },
  'invalid-trail-id': {
    status: 404,
    title: 'Invalid Trail ID',
    detail: 'There is no trail with this ID.',
    help: 'There is no trail with this ID.',
  },
  'invalid-image-id': {
    status: 404,
    title: 'Invalid Image ID',
    detail: 'There is no image with this ID that you may see.',
    help: 'There is no image with this ID on this trail that you may see.',
  },
  'invalid-route-id': {
    status: 404,
    title: 'Invalid Route ID',
    detail: 'There is no route with this ID that you may see.',
    help: 'There is no route with this ID that you may see.',
  },
  'no-routes': {
    status: 404,
    title: 'No routes found',
    detail: 'The account has no routes yet.',
    help: 'The account has no routes yet. This is not a client error; an operator who prefers an empty list can set EMPTY_ROUTES=200.',
  },
  'invalid-zone-id': {
    status: 404,
    title: 'Invalid Zone ID',
    detail: 'Your account has no privacy zone with this ID.',
    help: 'Your account has no privacy zone with this ID.',
  },
  'invalid-webhook-id': {
    status: 404,
    title: 'Invalid Webhook ID',
    detail: 'Your account has no webhook with this ID.',
    help: 'Your account has no webhook with this ID.',
  },
  'invalid-delivery-id': {
    status: 404,
    title: 'Invalid Delivery ID',
    detail: 'The webhook has no delivery with this ID.',
    help: 'The webhook has no delivery with this ID. Deliveries are stored for 30 days after they finish.',
  },
  'invalid-client-id': {
    status: 404,
    title: 'Invalid Client ID',
    detail: 'You have no application with this ID.',
    help: 'You have no application with this ID.',
  },
  'invalid-key-prefix': {
    status: 404,
    title: 'Invalid Key Prefix',
    detail: 'You have no valid API key with this prefix.',
    help: 'You have no valid API key with this prefix.',
  },
  'invalid-session-id': {
    status: 404,
    title: 'Invalid Session ID',
    detail: 'Your account has no session with this ID.',
    help: 'Your account has no session with this ID.',
  },
  'invalid-passkey-id': {
    status: 404,
    title: 'Invalid Passkey ID',
    detail: 'Your account has no passkey with this ID.',
    help: 'Your account has no passkey with this ID.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    detail: 'This address does not support the method of the request; Allow lists those that it supports.',
    help: 'The address exists but does not support this method. The Allow header lists the methods it supports.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    detail: 'Accept must include application/json, application/xml or text/xml.',
    help: 'The classic surface responds with application/json, application/xml or text/xml. Include one of them in Accept, or omit the header.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    detail: 'The request was not received in time.',
    help: 'The complete request was not received in time. Retry.',
  },
  'already-decided': {
    status: 409,
    title: 'The image has changed state',
    detail: 'The image has changed state since you loaded it.',
    help: 'The image is no longer in the state that this decision requires; the detail says what happened. Load the image again and decide on its current state.',
  },
  claimed: {
    status: 409,
    title: 'Another reviewer has claimed the image',
    detail: 'Another reviewer is working on this image.',
    help: 'Another reviewer is working on this image; the detail says who and until when. Choose another image, or send "takeOver" to take over the claim.',
  },
  'not-listed': {
    status: 409,
    title: 'The image is not published',
    detail: 'This image is not published.',
    help: 'Only published photos can be reported. This one is pending review or has been unpublished: its submitter can edit or delete it, and staff can decide on it.',
  },
  'not-undoable': {
    status: 409,
    title: 'The decision cannot be undone',
    detail: 'The last decision on this image cannot be undone.',
    help: 'Only the last decision on an image can be undone, and only while nothing has happened to it since. The detail says what prevents it. You can still make a new decision.',
  },
  'not-deleted': {
    status: 409,
    title: 'The image is not in the trash',
    detail: 'This image is not in the trash.',
    help: 'Only a deleted image can be restored this way. This one was never deleted or has already been restored; the detail gives its state.',
  },
  'other-terms': {
    status: 409,
    title: 'The terms have changed',
    detail: 'The terms have changed since they were shown.',
    help: 'The upload accepted a version of the terms that is no longer current. Show the current terms (GET /v2/terms) and send the upload again with their version.',
  },
  'webhook-disabled': {
    status: 409,
    title: 'The webhook is disabled',
    detail: 'The webhook is disabled, so nothing is sent to it.',
    help: 'A disabled webhook receives nothing. GET the webhook to see why it was disabled; enable it with PATCH {"disabled": false}.',
  },
  'last-admin': {
    status: 409,
    title: 'The last admin cannot be removed',
    detail: 'This account is the only admin.',
    help: 'A site needs at least one admin. Make another account an admin first.',
  },
  'last-passkey': {
    status: 409,
    title: 'The last sign-in method cannot be removed',
    detail: 'This passkey is the only way to sign in to the account.',
    help: 'Without this passkey you could no longer sign in. Set a password or add another passkey first.',
  },
  'already-done': {
    status: 409,
    title: 'The request was already processed',
    detail: 'A request with this Idempotency-Key was already processed.',
    help: 'A request with an Idempotency-Key is processed once, however often it is sent. A secret that it created was in the first response and cannot be shown again: find the new entry in the list and rotate or remove it. An image that it created and that has since been deleted can be restored from the trash, or uploaded again with a new key.',
  },
  'trail-exists': {
    status: 409,
    title: 'The trail already exists',
    detail: 'A trail with this trailID already exists.',
    help: 'A trail with this trailID already exists. To change its name, slug or line, use PUT /v2/trails/{trailID}; to create a new trail, leave out the trailID.',
  },
  'trail-not-empty': {
    status: 409,
    title: 'The trail has images',
    detail: 'This trail has images, possibly in the trash.',
    help: 'A trail can be deleted only when it has no images in any state, including the trash. Delete its images first.',
  },
  'trail-has-reviewers': {
    status: 409,
    title: 'Some reviewers are limited to this trail',
    detail: 'Some reviewers are limited to this trail.',
    help: 'These reviewers would have no trails left. Assign them other trails, or another role, before you delete this one; the detail lists their accounts.',
  },
  'events-gone': {
    status: 410,
    title: 'Events no longer available',
    detail: 'Events after this position are no longer available.',
    help: 'This site keeps events for a limited time (the setting EVENT_RETENTION_DAYS), and some after this position have been deleted. Note newestPosition of this problem, load the full lists that you need, and continue from newestPosition. To read only the events that are left, continue from oldestPosition minus 1.',
  },
  'original-gone': {
    status: 410,
    title: 'Original not available',
    detail: 'The original of this image is missing or damaged in the store.',
    help: 'The photo as it was uploaded is missing or damaged in the store. "waymark check --store" lists all such photos; the operator can restore them from a backup. The sizes that are left are still shown.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition Failed',
    detail: 'The current ETag of the resource does not match If-Match: it has changed since you read it.',
    help: 'The resource has changed since you read it (If-Match). Read it again and repeat your change.',
  },
  'image-too-large': {
    status: 413,
    title: 'The image is too large',
    detail: 'The image is larger than this site accepts.',
    help: 'The detail gives the maximum size of an image file in bytes (the setting MAX_IMAGE_BYTES; 8,388,608 unless the operator lowered it). Nothing was stored.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    detail: 'The body is larger than this endpoint accepts.',
    help: 'The detail gives the maximum size in bytes. The settings are MAX_DETAILS_BYTES (64 KiB) for details and most other bodies, MAX_ROUTE_BYTES (24 MiB) for a route and MAX_IMPORT_BYTES (64 MiB) for imports, unless the operator changed them.',
  },
  'uri-too-long': {
    status: 414,
    title: 'The URL is too long',
    detail: 'The path and query are longer than this site accepts.',
    help: 'The detail gives the maximum length of path and query in bytes (the setting MAX_URL_BYTES; 8 KiB unless the operator lowered it).',
  },
  'unsupported-image-type': {
    status: 415,
    title: 'Unsupported image type',
    detail: 'The body is not a JPEG, GIF, PNG or BMP image.',
    help: 'Images must be JPEG, GIF, PNG or BMP; POST /v2/trails/{trailID}/images also takes HEIC, AVIF and WebP. A Content-Type that is not an image type is refused before the body is read (the classic upload also takes application/x-www-form-urlencoded, the default of curl, wget, PHP and Java); otherwise the format is detected from the bytes, regardless of the image type in the header. Convert the file or correct the header, and retry.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'This endpoint does not accept the Content-Type of the request.',
    help: 'Details and routes are sent as application/json or application/xml in UTF-8 (XML also in UTF-16), without a Content-Encoding. The classic surface also takes them as application/x-www-form-urlencoded, the default of curl, wget, PHP and Java, if their first character is {, [ or <. Send several GPX files as multipart/form-data.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range Not Satisfiable',
    detail: 'The requested range is beyond the end of the file.',
    help: 'The requested range is beyond the end of the file; Content-Range gives its length.',
  },
  'link-used': {
    status: 410,
    title: 'The link no longer works',
    detail: 'The link has already been used, or has expired.',
    help: 'This kind of link works once, for a limited time. Request a new one.',
  },
  'broken-image': {
    status: 422,
    title: 'The image is damaged',
    detail: 'The image could not be decoded.',
    help: 'The file starts like an image but cannot be fully decoded. Open it, save it again and upload that file.',
  },
  'image-dimensions-too-large': {
    status: 422,
    title: 'Image dimensions are too large',
    detail: 'The image has more pixels or frames than this site accepts.',
    help: 'The detail says what is too large and gives the limit. Unless the operator lowered the settings MAX_IMAGE_SIDE, MAX_IMAGE_MEGAPIXELS, MAX_DECODED_MEGABYTES and MAX_IMAGE_FRAMES, a side may have 16,384 pixels, and an image 100 megapixels, 400 MB decoded and 1,000 frames.',
  },
  'unreadable-gpx': {
    status: 422,
    title: 'The GPX of the route cannot be read',
    detail: 'The GPX stored for this route cannot be read.',
    help: 'The GPX was stored without validation (the setting GPX_CHECK) and is not valid; the detail says where it fails. Replace the GPX of the route to export it.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used with another body',
    detail: 'This Idempotency-Key was already used with another body.',
    help: 'An Idempotency-Key identifies one request: for 24 hours, the same key on the same path must come with the same body. Use a new key for a new request.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too Many Requests',
    detail: 'You have reached a rate limit; try again after the time in Retry-After.',
    help: 'Wait for the time given in Retry-After. RateLimit and RateLimit-Policy give the limit that was reached; for a limit on concurrent requests, see the detail.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The request headers are too large',
    detail: 'The headers are larger, or there are more of them, than this site accepts.',
    help: 'The detail gives the limit (the settings MAX_HEADER_BYTES and MAX_HEADERS; 16 KiB and 100 headers unless the operator lowered them).',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Error',
    detail: 'The server could not process this request; the reason is in its log.',
    help: 'The server failed; the request was not the cause. The operator can find the error in the log by the request ID.',
  },
  busy: {
    status: 503,
    title: 'The server is busy',
    detail: 'The server cannot process this request now; retry after the time given in Retry-After.',
    help: 'The server is processing too many images or large bodies, or it is starting or stopping. Retry after the time given in Retry-After.',
  },
  'issuer-unavailable': {
    status: 503,
    title: 'The token issuer is unavailable',
    detail: 'The token issuer did not respond, so the token could not be verified.',
    help: 'The token comes from another site that this one trusts, and the keys of that site cannot be fetched at the moment, so the token cannot be verified. Retry later; the operator can find the cause in the log.',
  },
  'read-only': {
    status: 503,
    title: 'The service is read-only',
    detail: 'Nothing can be changed while the service is read-only.',
    help: 'The operator has turned off writing, for example during a migration. Reading still works; retry later.',
  },
  'storage-unavailable': {
    status: 503,
    title: 'The storage is unavailable',
    detail: 'The database or the photo storage did not respond.',
    help: 'A disk, database or object store failed while the request was being processed. It is unknown whether a change was stored: send it again. An upload with the same Idempotency-Key is never stored twice.',
  },
  'no-mail': {
    status: 503,
    title: 'This site cannot send email',
    detail: 'This site has no mail server.',
    help: 'No mail server is configured (the setting SMTP_URL). The site administrator can create the link with "waymark accounts reset-link".',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient Storage',
    detail: 'The disk of the server is full; nothing was stored.',
    help: 'The disk of the server is full. Nothing was stored; the operator must free up space.',
  },
} as const satisfies Record<string, RefusalEntry>

export type RefusalCode = keyof typeof refusals

/** A sentence in each language, for refusals that people read on a page. */
export type DetailIn = (language: Language) => string

export interface RefusalOptions {
  /** One sentence about this request; never contains SQL, a path or a secret. A plain text is in English. */
  readonly detail?: string | DetailIn | undefined
  /** Response headers that belong to this refusal, such as Allow, Retry-After or WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the problem document (RFC 9457, 3.2), for programs. */
  readonly members?: Readonly<Record<string, number>>
  readonly cause?: unknown
}

/** An expected failure. The only class in the code: `instanceof` distinguishes it from a bug. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** In English. */
  readonly detail: string | undefined
  readonly detailIn: (language: Language) => string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, number>>

  constructor(code: RefusalCode, options: RefusalOptions = {}) {
    super(refusals[code].title, { cause: options.cause })
    this.name = 'Refusal'
    this.code = code
    const { detail } = options
    this.detailIn = typeof detail === 'function' ? detail : () => detail
    this.detail = this.detailIn('en')
    this.headers = options.headers ?? {}
    this.members = options.members ?? {}
  }
}

/** Creates the refusal to throw: `throw refuse('invalid-trail-id')`. */
export function refuse(code: RefusalCode, options?: RefusalOptions): Refusal {
  return new Refusal(code, options)
}

/** For sentences: "1 second", "5 seconds". */
export const inSeconds = (seconds: number): string => (seconds === 1 ? '1 second' : `${seconds} seconds`)
