// Calls every function of the SDK once with all parameters; operations.test.ts checks what is sent.
import type { Waymark } from '../../client/client.ts'

const bbox = [-1, -2, 3, 4] as const
const since = new Date(0)
const days = { takenFrom: '2026-05-01', takenTo: '2026-05-31' }
const paging = { limit: 10, cursor: 'next' }

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) void item
}

async function callTrails({ trails }: Waymark): Promise<void> {
  await trails.page({ q: 'ridge', bbox, slug: 'ridge', ...paging })
  await drain(trails.each())
  await trails.get(1)
  await trails.bySlug('ridge')
  await trails.profile(1)
  await trails.gpx(1)
  await trails.kml(1)
  await trails.geojson(1)
  await trails.create({ name: 'Ridge', description: 'Along the *ridge*.', geometry: null })
  await trails.replace(1, { name: 'Ridge', slug: undefined })
  await trails.remove(1)
  await trails.import('trailID,name,slug\n', { dryRun: true })
  await trails.import(new Blob(['{"type":"FeatureCollection","features":[]}']))
  await trails.exportCsv()
  await trails.exportGeoJson()
}

async function callImages({ images, trash, terms }: Waymark): Promise<void> {
  const photo = new Blob([new Uint8Array(10)], { type: 'image/jpeg' })
  await images.page({ status: 'pending', trailID: 1, submitterID: 2, bbox, since, ...days, ...paging })
  await drain(images.each())
  await images.onTrail.page(1, { bbox, since, ...days, ...paging })
  await drain(images.onTrail.each(1))
  await images.onTrail.page(1, { order: 'taken', takenFrom: '2026-05-01', takenTo: '2026-05-31' })
  await images.months(1)
  await images.along(1)
  await images.get(1)
  await images.getWithEtag(1)
  await images.upload(1, photo, { title: 'At the bridge', lat: 1, lon: 2 }, { termsVersion: null })
  await images.change(1, { title: 'x', caption: undefined }, { ifMatch: '"a"' })
  await images.remove(1)
  await images.restore(1)
  await images.history.page(1, paging)
  await drain(images.history.each(1))
  await images.original(1)
  await images.report(1, { reason: 'spam', note: 'x' })
  await images.geojson(1, { bbox, ...days })
  await trash.page(paging)
  await terms()
}

async function callReview({ review }: Waymark): Promise<void> {
  await review.queue.page({ status: 'pending', trailID: 1, submitterID: 1, claimed: 'mine', ...paging })
  await review.summary()
  await review.decide(1, { decision: 'reject', reason: 'blurred', note: 'x' }, { ifMatch: '"a"' })
  await review.undo(1)
  await review.undo(1, { position: 7 })
  await review.bulk({ ids: [1], decision: 'approve' })
  await review.claim({ ids: [1], minutes: 5, takeOver: true })
  await review.release(1)
  await review.release(1, { own: true })
  await review.reasons()
  await review.reports.page(1, paging)
  await drain(review.reports.each(1))
  await review.dismissReports(1)
}

async function callRoutes({ routes }: Waymark): Promise<void> {
  await routes.page(1, { q: 'loop', bbox, as: 'others', minMiles: 1, maxMiles: 2, ...paging })
  await drain(routes.each(1))
  await routes.public.page({
    q: 'loop',
    bbox,
    minMiles: 1,
    maxMiles: 2,
    minAscent: 3,
    maxAscent: 4,
    nearTrail: 5,
    order: 'length',
    ...paging,
  })
  await drain(routes.public.each())
  await routes.get(1, { token: 'x', as: 'others' })
  await routes.getWithEtag(1)
  await routes.overview(1, { token: 'x' })
  await routes.create(1, { name: 'Loop', length: null })
  await routes.change(1, { visibility: 'link', newLink: true })
  await routes.remove(1)
  await routes.import(1, [new File(['<gpx/>'], 'loop.gpx')])
  await routes.gpx(1, { token: 'x', as: 'others' })
  await routes.original(1)
  await routes.geojson(1, { token: 'x', as: 'others' })
}

async function callMe({ me }: Waymark): Promise<void> {
  await me.get()
  await me.change({ displayName: 'Ada', mails: 'off', language: 'de' })
  await me.setPassword({ current: 'old one', password: 'another one' })
  await me.setEmail({ email: 'ada@trails.example', password: 'old one' })
  await me.remove({ photos: 'keep', password: 'old one' })
  await me.takeout()
  await me.keys.list()
  await me.keys.create({ name: 'Feed', expiresAt: null })
  await me.keys.rotate('wmk_1', { overlapSeconds: 60 })
  await me.keys.revoke('wmk_1')
  await me.sessions.list()
  await me.sessions.end('one')
  await me.sessions.endOthers()
  await me.apps.list()
  await me.apps.revoke('app')
  await me.clients.list()
  await me.clients.get('app')
  await me.clients.create({ name: 'App', scopes: ['images:read'], isPublic: true })
  await me.clients.change('app', { name: 'Other' })
  await me.clients.remove('app')
  await me.clients.newSecret('app')
  await me.zones.list()
  await me.zones.hiddenSizes()
  await me.zones.create({ name: 'Home', lat: 1, lon: 2, radius: 100 })
  await me.zones.remove(1)
  await me.passkeys.list()
  await me.passkeys.options({ password: 'old one' })
  const response = { clientDataJSON: 'AA', attestationObject: 'AA' }
  await me.passkeys.add({ name: 'Phone', response: { id: 'AA', rawId: 'AA', type: 'public-key', response } })
  await me.passkeys.remove('AA')
}

async function callWebhooks({ webhooks }: Waymark): Promise<void> {
  await webhooks.list()
  await webhooks.get(1)
  await webhooks.create({ url: 'https://hook.example', events: ['*'] })
  await webhooks.change(1, { disabled: false })
  await webhooks.remove(1)
  await webhooks.rotate(1)
  await webhooks.test(1)
  await webhooks.deliveries.page(1, paging)
  await drain(webhooks.deliveries.each(1))
  await webhooks.replay(1, 2)
}

async function callAdmin({ admin }: Waymark): Promise<void> {
  await admin.accounts.page({ q: 'ada', role: 'member', suspended: false, ...paging })
  await drain(admin.accounts.each())
  await admin.accounts.get(1)
  await admin.accounts.create({ email: 'ada@trails.example', displayName: 'Ada' })
  await admin.accounts.change(1, { trails: [1, 2], trusted: true })
  await admin.accounts.remove(1, { photos: 'delete' })
  await admin.accounts.resetLink(1)
  await admin.invitations.list()
  await admin.invitations.create({ email: 'ada@trails.example', role: 'reviewer' })
  await admin.invitations.remove('one')
  await admin.clients.page({ acctID: 1, ...paging })
  await admin.clients.create({ acctID: 1, name: 'App', scopes: ['images:read'] })
  await admin.clients.change('app', { name: 'Other' })
  await admin.clients.remove('app')
  await admin.clients.newSecret('app')
  await admin.audit.page({ acctID: 1, action: 'key.created', since, until: new Date(), ...paging })
  await admin.jobs()
  await admin.storage()
  await admin.map.get()
  await admin.map.choose({ kind: 'style', url: 'https://tiles.example/style.json' })
  await admin.settings()
  await admin.terms.get()
  await admin.terms.set({ licence: null, terms: { text: 'Be kind.' } })
  await admin.branding.get()
  await admin.branding.set({ name: 'Ridge', accent: null, footer: { text: '', links: [] } })
  await admin.branding.setPicture('logo', new Blob(['x'], { type: 'image/png' }))
  await admin.branding.removePicture('favicon')
  await admin.reasons.set([{ code: 'blurred', label: 'Blurred' }])
}

async function callClassic({ classic }: Waymark): Promise<void> {
  await classic.images(1)
  await classic.image(1, 2)
  await classic.uploadBytes(1, new Blob([new Uint8Array(10)], { type: 'image/png' }))
  await classic.setDetails(1, 2, { title: 'x', lat: '1.5', lon: '2' })
  await classic.imageBytes(2, { size: 'sm', format: 'webp' })
  await classic.routes(1)
  await classic.route(1, 2)
  await classic.createRoute(1, { name: 'Loop', length: 2 })
  await classic.changeRoute(1, 2, { name: 'Loop' })
  await classic.changeNamedRoute(1, { routeID: 2, name: 'Loop' })
  await classic.removeRoute(1, 2)
}

export async function callEverything(waymark: Waymark): Promise<void> {
  await waymark.site()
  await callTrails(waymark)
  await callImages(waymark)
  await callReview(waymark)
  await callRoutes(waymark)
  await callMe(waymark)
  await callWebhooks(waymark)
  await callAdmin(waymark)
  await callClassic(waymark)
  await waymark.maps.tileJson()
  await waymark.maps.tile({ z: 1, x: 0, y: 1 })
  await waymark.changes.page({ since: 3, types: ['image.approved', 'image.removed'], ...paging })
  const hearing = new AbortController()
  const onConnection = (): void => hearing.abort()
  await drain(
    waymark.events({ lastPosition: 3, types: ['image.approved'], signal: hearing.signal, onConnection }),
  )
}
