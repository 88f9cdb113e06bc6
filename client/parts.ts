// The groups of functions one by one, for pages that load as little as possible: each takes a transport.
//
// const trails = createTrailCalls(createTransport({ baseUrl: 'https://trails.example' }))

export { createTransport } from './transport.ts'
export type { Transport } from './transport.ts'
export { createAdminCalls } from './admin.ts'
export { createClassicCalls } from './classic.ts'
export { createEventCalls } from './events.ts'
export { createImageCalls } from './images.ts'
export { createMapCalls } from './maps.ts'
export { createMeCalls } from './me.ts'
export { createReviewCalls } from './review.ts'
export { createRouteCalls } from './routes.ts'
export { createTrailCalls } from './trails.ts'
export { createWebhookCalls } from './webhooks.ts'
