// The function groups separately, so that pages load only what they need. Each takes a transport:
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
