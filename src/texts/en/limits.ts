// Which limit is reached, and what the server is busy with, in a sentence: details of refusals.
import { inSeconds } from '../../errors.ts'

/** A window of a rate limit. */
export interface RateReached {
  readonly points: number
  readonly seconds: number
  readonly secondsLeft: number
  /** Whether an expensive request counts as several. */
  readonly isByCost: boolean
}

const perAccount = (things: string, verb: string) => (max: number, count: number) =>
  `An account may have ${max} ${things}, and this one has ${count}; ${verb} one that is no longer used.`

export const limits = {
  rate: ({ points, seconds, secondsLeft, isByCost }: RateReached) => {
    const costs = isByCost ? ', where an expensive request counts as several,' : ''
    return `The limit of ${points} requests in ${inSeconds(seconds)}${costs} has been reached; retry in ${inSeconds(secondsLeft)}.`
  },
  largeBodies: {
    account: 'Too many large request bodies from this account are being received or processed.',
    address: 'Too many large request bodies from this address are being received or processed.',
    all: 'Too many large request bodies are being processed.',
  },
  passkeys: perAccount('passkeys', 'remove'),
  keys: perAccount('active API keys', 'revoke'),
  applications: perAccount('applications', 'remove'),
  streams: (max: number) => `The account has the maximum of ${max} open streams; close one first.`,
  eventsGone: (position: number, oldest: number) =>
    `Some events after position ${position} were deleted; the oldest event that is kept has position ${oldest}.`,
  webhooks: (max: number, count: number) => `The account has ${count} webhooks; the limit is ${max}.`,
  zones: (max: number, count: number) => `The account has ${count} privacy zones; the limit is ${max}.`,
  routes: (max: number, count: number) => `The account has ${count} routes; the limit is ${max}.`,
  routeBytes: (max: number, bytes: number) =>
    `The account stores ${bytes} bytes of GPX; this request would exceed the limit of ${max}.`,
  pendingImages: (max: number, count: number) =>
    `The account has ${count} pending images; the limit is ${max}.`,
  imageBytes: (max: number, bytes: number) =>
    `The account stores ${bytes} bytes of images; this upload would exceed the limit of ${max}.`,
  imageSize: (max: number) => `An image may be at most ${max} bytes.`,
  emptyUpload: 'The body of the upload is empty.',
  dataExport: 'A data export of this account is already in progress: let it finish or cancel it first.',
  longRoutes: (max: number) => `${max} long routes of this account are already being sent.`,
  routeLists: (max: number) =>
    `The complete list of routes of this account is already being sent ${max} times.`,
  slowLists: 'Too many slow clients are reading lists.',
  slowResponses: 'Too many slow clients are reading long responses.',
  images: 'Too many images are being processed.',
  imageInterrupted: 'Processing the image was interrupted.',
  imageOverdue: (seconds: number) => `Processing the image took longer than ${inSeconds(seconds)}.`,
  imageFailed: 'The image could not be processed.',
  previousCopy: 'A previous copy of this file is being deleted.',
  stopping: 'The server is stopping.',
  routeUpdated: 'The route is being updated.',
  publicView: 'The public view of these routes is being rebuilt after a change to routes or privacy zones.',
  readOnly: (since: number, reason: string) => {
    const why = reason === '' ? '' : `: ${reason}`
    return `The service has been read-only since ${new Date(since).toISOString()}${why}`.replace(/\.?$/, '.')
  },
}
