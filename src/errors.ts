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
    detail: 'The request line, a header or the address could not be read.',
    help: 'The request line, a header or the address could not be read. Check the address for stray characters and the headers for line breaks.',
  },
  'malformed-body': {
    status: 400,
    title: 'The body could not be read',
    detail: 'The body is not well-formed.',
    help: 'The body is not well-formed JSON or XML, or uses something Waymark never reads (a DOCTYPE, an undeclared entity, nesting deeper than 64, characters XML 1.0 forbids). The detail names line and column.',
  },
  'invalid-field': {
    status: 400,
    title: 'A field has a value that cannot be taken',
    detail: 'A field has a value that is not allowed.',
    help: 'The detail names the field and the rule. Nothing of the request was stored: mend the field and send it again.',
  },
  'invalid-query': {
    status: 400,
    title: 'A query parameter has a value that cannot be taken',
    detail: 'A query parameter has a value that is not allowed.',
    help: 'The detail names the parameter and what it may hold.',
  },
  'empty-image': {
    status: 400,
    title: 'The image is empty',
    detail: 'The request has no body; send the bytes of the image.',
    help: 'The body of an upload is the raw bytes of the image; this one had none. With curl: -H "Content-Type: image/jpeg" --data-binary @photo.jpg.',
  },
  'invalid-header': {
    status: 400,
    title: 'A header has a value that cannot be taken',
    detail: 'A header has a value that is not allowed.',
    help: 'The detail names the header and what it may hold.',
  },
  'credential-required': {
    status: 401,
    title: 'A credential is required',
    detail: 'The request has neither an API key nor a bearer token.',
    help: 'Reading a list takes an API key (api_key=… or X-API-Key) or a bearer token; writing takes a bearer token from /oauth/token.',
  },
  'invalid-api-key': {
    status: 401,
    title: 'Invalid API Key',
    detail: 'The API key of the request is unknown, expired or revoked.',
    help: 'The key is unknown, expired or revoked. Ask for a new one, or create one with "waymark keys create".',
  },
  'invalid-token': {
    status: 401,
    title: 'Invalid Access Token',
    detail: 'The bearer token of the request is unknown, expired or revoked.',
    help: 'The bearer token is unknown, expired or revoked. Fetch a new one from /oauth/token and send the request again.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    detail: 'The credential of the request does not allow this.',
    help: 'The credential may not do this here: the thing belongs to another account, or the account lacks the role. For classic routes this is also the answer to a token that is wrong or revoked.',
  },
  'insufficient-scope': {
    status: 403,
    title: 'The token lacks a scope',
    detail: 'The token of the request lacks the scope that this needs.',
    help: 'The detail names the scope. Ask for it when fetching the token; the client must have been created with it.',
  },
  'wrong-sign-in': {
    status: 403,
    title: 'E-mail address and password do not go together',
    detail: 'No account has this e-mail address and password.',
    help: 'No account has this e-mail address with this password. Check both; a new password can be had by the link below the form.',
  },
  'wrong-password': {
    status: 403,
    title: 'The password is not right',
    detail: 'The current password is not correct.',
    help: 'What changes how you sign in asks for your present password once more. Nothing was changed.',
  },
  'wrong-passkey': {
    status: 403,
    title: 'The passkey cannot be taken',
    detail: 'The passkey does not belong to an account here, or was used too late.',
    help: 'What the browser sent does not open an account here, or comes too late. Try again, or sign in another way.',
  },
  'no-passkeys': {
    status: 403,
    title: 'This site does not offer passkeys',
    detail: 'Passkeys are not available at the address of this site.',
    help: 'Browsers take passkeys only for a host with a name, over https or on localhost: the setting PUBLIC_URL must name one.',
  },
  'passkey-required': {
    status: 403,
    title: 'This account needs a passkey',
    detail: 'Reviewers and admins sign in with a passkey here; this session was begun without one.',
    help: 'This site lets reviewers and admins act only after they signed in with a passkey. Sign in with yours; if you have none yet, add your first one under /account/passkeys.',
  },
  'stale-session': {
    status: 403,
    title: 'You signed in too long ago for this',
    detail: 'You signed in more than ten minutes ago; sign in again, or send your current password.',
    help: 'What changes how you sign in takes a sign-in of the last ten minutes, or your present password with it. Sign in once more and repeat it.',
  },
  'account-suspended': {
    status: 403,
    title: 'The account is suspended',
    detail: 'This account is suspended.',
    help: 'Those who run the site have suspended the account: nobody can sign in with it. Ask them.',
  },
  'sign-up-closed': {
    status: 403,
    title: 'Accounts are made by invitation',
    detail: 'An account can be created here only by invitation.',
    help: 'This site does not let everybody make an account (the setting SIGN_UP). Ask those who run it for an invitation.',
  },
  'foreign-form': {
    status: 403,
    title: 'The form did not come from a page of this site',
    detail: 'The form was sent from a page of another site.',
    help: 'Forms are taken from pages of this very site only, so that no other site can act in your name. Open the page again at the address that PUBLIC_URL names and send the form from there.',
  },
  'quota-reached': {
    status: 403,
    title: 'A quota of this account is reached',
    detail: 'The account has reached one of its quotas.',
    help: 'The detail names the limit and the count. Wait until pending photos are reviewed, or ask the operator to raise the quota.',
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'There is nothing at this address.',
    help: 'Nothing is served at this address. The paths are listed in /openapi.json.',
  },
  'invalid-account-id': {
    status: 404,
    title: 'Invalid Account ID',
    detail: 'There is no account with the ID in the address.',
    help: 'No account has this id.',
  },
  'invalid-trail-id': {
    status: 404,
    title: 'Invalid Trail ID',
    detail: 'There is no trail with this ID.',
    help: 'No trail has this id.',
  },
  'invalid-image-id': {
    status: 404,
    title: 'Invalid Image ID',
    detail: 'There is no image with this ID that you may see.',
    help: 'No image that you may see has this id on this trail.',
  },
  'invalid-route-id': {
    status: 404,
    title: 'Invalid Route ID',
    detail: 'There is no route with this ID that you may see.',
    help: 'No route that you may see has this id.',
  },
  'no-routes': {
    status: 404,
    title: 'No routes found',
    detail: 'The account has no routes yet.',
    help: 'The account has no routes yet. It is not an error of yours; an operator who prefers an empty list sets EMPTY_ROUTES=200.',
  },
  'invalid-zone-id': {
    status: 404,
    title: 'Invalid Zone ID',
    detail: 'Your account has no privacy zone with this ID.',
    help: 'Your account has no privacy zone with this id.',
  },
  'invalid-webhook-id': {
    status: 404,
    title: 'Invalid Webhook ID',
    detail: 'Your account has no webhook with this ID.',
    help: 'Your account has no webhook with this id.',
  },
  'invalid-delivery-id': {
    status: 404,
    title: 'Invalid Delivery ID',
    detail: 'The webhook has no delivery with this ID.',
    help: 'The webhook has no delivery with this id. Deliveries are kept for 30 days after they have ended.',
  },
  'invalid-client-id': {
    status: 404,
    title: 'Invalid Client ID',
    detail: 'You have no application with this ID.',
    help: 'No application of yours has this id.',
  },
  'invalid-key-prefix': {
    status: 404,
    title: 'Invalid Key Prefix',
    detail: 'You have no valid API key with this prefix.',
    help: 'No API key of yours that still works begins so.',
  },
  'invalid-session-id': {
    status: 404,
    title: 'Invalid Session ID',
    detail: 'Your account has no session with this ID.',
    help: 'No browser that is signed in to your account has this id.',
  },
  'invalid-passkey-id': {
    status: 404,
    title: 'Invalid Passkey ID',
    detail: 'Your account has no passkey with this ID.',
    help: 'Your account has no passkey with this id.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    detail: 'This address does not support the method of the request; Allow lists those that it supports.',
    help: 'The address exists, the method does not; the Allow header lists those that do.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    detail: 'Accept names none of application/json, application/xml and text/xml.',
    help: 'The classic surface answers application/json, application/xml or text/xml: name one of them in Accept, or send none.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    detail: 'The request did not arrive in time.',
    help: 'The request did not arrive whole in time. Send it again.',
  },
  'already-decided': {
    status: 409,
    title: 'The image is no longer in the state this decision needs',
    detail: 'The image has changed its state since you loaded it.',
    help: 'Somebody else decided first; the detail says what happened. Load the image again and decide anew.',
  },
  claimed: {
    status: 409,
    title: 'Another reviewer has claimed the image',
    detail: 'Another reviewer is working on this image.',
    help: 'Somebody else of the staff is looking at it just now; the detail names them and says until when. Take another one, or take it over with "takeOver" if they have left.',
  },
  'not-listed': {
    status: 409,
    title: 'The image is not listed',
    detail: 'This image is not published.',
    help: 'Only a photo that everybody can see can be reported. This one waits for review, or was taken out of the list: its submitter can change or delete it, and staff can decide on it.',
  },
  'not-undoable': {
    status: 409,
    title: 'The last move of the image cannot be undone',
    detail: 'The last decision on this image cannot be undone.',
    help: 'Only the last decision can be undone, and only while nothing has happened to the image since. The detail says what stands in the way; another decision is possible all the same.',
  },
  'not-deleted': {
    status: 409,
    title: 'The image is not in the trash',
    detail: 'This image is not in the trash.',
    help: 'Only an image that was deleted can be restored this way. It was restored before, or never deleted; the detail tells its state.',
  },
  'other-terms': {
    status: 409,
    title: 'The terms are no longer those that were shown',
    detail: 'The terms have changed since they were shown.',
    help: 'The upload named a version of the terms of this site that is not the one in force. Show the present ones (GET /v2/terms), and send the upload again with their version.',
  },
  'webhook-disabled': {
    status: 409,
    title: 'The webhook is disabled',
    detail: 'The webhook is disabled, so nothing is sent to it.',
    help: 'Nothing is sent to it. GET the webhook to read why; enable it again with PATCH {"disabled": false} first.',
  },
  'last-admin': {
    status: 409,
    title: 'The last admin must stay',
    detail: 'This account is the only admin.',
    help: 'Without an admin nobody could give the role to anybody. Make another account an admin first.',
  },
  'last-passkey': {
    status: 409,
    title: 'The last passkey of an account without a password must stay',
    detail: 'This passkey is the only way to sign in to the account.',
    help: 'Without it you could not sign in any more. Set a password or add another passkey first.',
  },
  'already-done': {
    status: 409,
    title: 'It has been done already',
    detail: 'A request with this Idempotency-Key has been done already.',
    help: 'A request with an Idempotency-Key is done once, however often it is sent. A secret that it made was in the first answer and cannot be shown again: look into the list; what was made and is of no use can be rotated or removed. An image that it made and that was deleted since can be restored from the trash, or made anew with a new key.',
  },
  'trail-exists': {
    status: 409,
    title: 'The trail is there already',
    detail: 'There is a trail with this trailID already.',
    help: 'A trail with this trailID exists. PUT /v2/trails/{trailID} gives it another name, slug or line; leave the trailID out for a new trail.',
  },
  'trail-not-empty': {
    status: 409,
    title: 'The trail has images',
    detail: 'There are images on this trail, possibly in the trash.',
    help: 'A trail is deleted only once no image is on it, in whatever state, those in the trash included. Delete its images first.',
  },
  'trail-has-reviewers': {
    status: 409,
    title: 'Reviewers are limited to this trail alone',
    detail: 'Some reviewers are limited to this trail.',
    help: 'Without the trail nothing would be left of their limit. Give them other trails, or another role, before you delete it; the detail names their accounts.',
  },
  'precondition-failed': {
    status: 412,
    title: 'Precondition Failed',
    detail:
      'The resource does not have the ETag that If-Match names: it has changed since you read it, or never had that one.',
    help: 'What you want to change has changed since you read it (If-Match). Read it again and repeat your change.',
  },
  'image-too-large': {
    status: 413,
    title: 'The image is too large',
    detail: 'The image has more bytes than this site accepts.',
    help: 'The detail states how many bytes an image file may have on this site (the setting MAX_IMAGE_BYTES; 8,388,608 unless the operator lowered it). Nothing was stored.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    detail: 'The body has more bytes than this endpoint accepts.',
    help: 'The detail states how many bytes the body may have. The settings are MAX_DETAILS_BYTES (64 KiB) for details and most other bodies, MAX_ROUTE_BYTES (24 MiB) for a route and MAX_IMPORT_BYTES (64 MiB) for imports, unless the operator changed them.',
  },
  'uri-too-long': {
    status: 414,
    title: 'The address is too long',
    detail: 'The path and query have more bytes than this site accepts.',
    help: 'The detail states how many bytes the path and query of a request may have (the setting MAX_URL_BYTES; 8 KiB unless the operator lowered it).',
  },
  'unsupported-image-type': {
    status: 415,
    title: 'Unsupported image type',
    detail: 'The body is not a jpg, gif, png or bmp.',
    help: 'Images are jpg, gif, png or bmp. A Content-Type that names no image is refused before the bytes are looked at; otherwise the bytes alone decide, whichever image it names. Convert the file, or mend the header, and send it again.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The Content-Type of the request is not one that this endpoint accepts.',
    help: 'Details and routes are sent as application/json or application/xml in UTF-8 (XML also in UTF-16), without a Content-Encoding; several GPX files as multipart/form-data.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range Not Satisfiable',
    detail: 'The image is shorter than the range of the request.',
    help: 'The image is shorter than the range that was asked for; Content-Range tells its length.',
  },
  'link-used': {
    status: 410,
    title: 'The link no longer works',
    detail: 'The link was used already, or has expired.',
    help: 'Links of this kind work once and for a limited time. Ask for a new one.',
  },
  'broken-image': {
    status: 422,
    title: 'The image is damaged',
    detail: 'The image could not be decoded.',
    help: 'The file starts like an image but cannot be decoded whole. Open it, save it anew and send that.',
  },
  'image-dimensions-too-large': {
    status: 422,
    title: 'Image dimensions are too large',
    detail: 'The image has more pixels or frames than this site accepts.',
    help: 'The detail states what is too large and the limit. Unless the operator lowered the settings MAX_IMAGE_SIDE, MAX_IMAGE_MEGAPIXELS, MAX_DECODED_MEGABYTES and MAX_IMAGE_FRAMES, a side may have 16,384 pixels, an image 100 megapixels, 400 MB decoded and 1,000 frames.',
  },
  'unreadable-gpx': {
    status: 422,
    title: 'The gpx of the route cannot be read',
    detail: 'The GPX that is stored for this route cannot be read.',
    help: 'It was stored unchecked (the setting GPX_CHECK), and is no GPX; the detail says where it ends to be one. There is nothing to export until the route is given another gpx.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key was used for another body',
    detail: 'This Idempotency-Key was sent before with another body.',
    help: 'A key stands for one request: within 24 hours the same key on the same path must come with the same body. Send a new key for a new request.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too Many Requests',
    detail: 'You have reached a rate limit; try again after the time in Retry-After.',
    help: 'Wait as long as Retry-After says. RateLimit and RateLimit-Policy tell the limit that was met; where it is one on what is done at the same time, the detail does.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The request headers are too large',
    detail: 'The headers have more bytes or fields than this site accepts.',
    help: 'The detail states the limit (the settings MAX_HEADER_BYTES and MAX_HEADERS; 16 KiB and 100 fields unless the operator lowered them).',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Error',
    detail: 'The server failed to answer this request; its log has the reason.',
    help: 'A fault of the server, never of the request. The operator finds it in the log under the request id.',
  },
  busy: {
    status: 503,
    title: 'The server is busy',
    detail: 'The server cannot take this request now; try again after the time in Retry-After.',
    help: 'Too many images or large bodies are being worked on, or the server is starting or stopping. Retry-After says when to try again.',
  },
  'issuer-unavailable': {
    status: 503,
    title: 'The issuer of the token does not answer',
    detail: 'The issuer of the token did not answer, so the token could not be checked.',
    help: 'The token comes from another site that this one trusts, and the keys of that site cannot be fetched just now, so nobody can say whether it is good. Send the request again later; the operator finds the cause in the log.',
  },
  'read-only': {
    status: 503,
    title: 'The service is read-only for now',
    detail: 'Nothing can be changed while the service is read-only.',
    help: 'The operator has switched writing off, for example while moving the installation. Reading goes on; send the request again later.',
  },
  'storage-unavailable': {
    status: 503,
    title: 'The storage does not answer',
    detail: 'The database or the photo storage did not answer.',
    help: 'A disk, database or store failed while the request was worked on. Whether it took effect is unknown for a change that was about to be stored: send it again; an upload with its Idempotency-Key is never stored twice.',
  },
  'no-mail': {
    status: 503,
    title: 'This site cannot send mail',
    detail: 'This site has no mail server.',
    help: 'No mail server is set up (the setting SMTP_URL). Those who run the site can make the link with "waymark accounts reset-link".',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient Storage',
    detail: 'The disk of the server is full; nothing was stored.',
    help: 'The disk of the server is full. Nothing of the request was kept; the operator has to make room.',
  },
} as const satisfies Record<string, RefusalEntry>

export type RefusalCode = keyof typeof refusals

/** A sentence in each language, for those that people read on a page. */
export type DetailIn = (language: Language) => string

export interface RefusalOptions {
  /** One sentence about this very request; never holds SQL, a path or a secret. In English where it is one text alone. */
  readonly detail?: string | DetailIn | undefined
  /** Response headers that belong to this refusal, such as Allow, Retry-After or WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An expected failure. The only class of the house: `instanceof` is how the edge tells it from a bug. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** In English. */
  readonly detail: string | undefined
  readonly detailIn: (language: Language) => string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RefusalCode, options: RefusalOptions = {}) {
    super(refusals[code].title, { cause: options.cause })
    this.name = 'Refusal'
    this.code = code
    const { detail } = options
    this.detailIn = typeof detail === 'function' ? detail : () => detail
    this.detail = this.detailIn('en')
    this.headers = options.headers ?? {}
  }
}

/** Makes the refusal to throw: `throw refuse('invalid-trail-id')`. */
export function refuse(code: RefusalCode, options?: RefusalOptions): Refusal {
  return new Refusal(code, options)
}

/** For sentences: "1 second", "5 seconds". */
export const inSeconds = (seconds: number): string => (seconds === 1 ? '1 second' : `${seconds} seconds`)
