// Edge cases of waymark pull: a server with a new URL, people with equal IDs, and leftovers of a refused pull.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { listJson, standInKey, standInToken, startStandIn } from '../helpers/classic-stand-in.ts'
import { newFolder } from '../helpers/folders.ts'
import { lastingPort } from '../helpers/ports.ts'
import {
  codesOf,
  lists,
  serving,
  standInImage,
  standInRoute,
  standInTrail,
  tokenFor,
  type PullDocument,
} from './pull-helpers.ts'
import { done, run, runJson, type RunOptions } from './run-waymark.ts'

const settings = { RATE_LIMIT_FACTOR: '1000' }
const asOf = (base: string, ...more: string[]) => [
  'pull',
  base,
  '--api-key',
  standInKey,
  '--rate',
  '1000',
  ...more,
]

async function pulled(args: readonly string[], options: RunOptions) {
  const { exitCode, document } = await runJson(args, options)
  return { exitCode, ...(document as PullDocument) }
}

void test('the same server under another URL: the former one is named, and --same-as accepts it', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const trail = await standInTrail(7, [1, 2, 3])
  const routes = new Map([[51, [standInRoute(1)]]])
  const before = await startStandIn(t, { trails: [trail], routes })
  const token = ['--token', `51=${standInToken(51)}`]
  const whole = (from: typeof before, ...more: string[]) =>
    asOf(from.base, '--trails', '7', '--routes-url', from.routesBase, ...token, ...more)
  assert.equal((await pulled(whole(before), options)).exitCode, 0)
  const server = await serving(t, options, 51)
  const staffOptions = ['--id', '9', '--name', 'Staff', '--email', 's@trails.example', '--role', 'admin']
  await done(['accounts', 'create', ...staffOptions], options)
  const staff = await tokenFor(server, options, 9, 'images:write images:review')
  const deleted = await fetch(`${server.url}/v2/images/2`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${staff}` },
  })
  assert.equal(deleted.status, 204)

  const [first] = trail.images
  assert.ok(first)
  first.title = 'Changed since the move'
  trail.images.push(await standInImage(4))
  const after = await startStandIn(t, { trails: [trail], routes })
  const without = await pulled(whole(after), options)
  assert.equal(without.exitCode, 2)
  for (const what of ['image 1', 'image 2', 'image 3'])
    assert.ok(codesOf(without).includes(`${what} pulled-elsewhere`), what)
  assert.ok(codesOf(without).includes('routes 51 other-person'))
  assert.ok(without.notKept.some(({ why }) => why.endsWith(`That URL is ${before.base}.`)))

  const same = await pulled(whole(after, '--same-as', `${before.base}/`), options)
  assert.deepEqual(
    codesOf(same).filter((code) => code.startsWith('image')),
    ['image 2 deleted-here'],
  )
  assert.deepEqual([same.images.changed, same.routes.unchanged, same.source], [1, 1, before.base])
  const wrong = await run(whole(after, '--same-as', 'https://other.example/V1'), options)
  assert.equal(wrong.exitCode, 1)
  assert.match(wrong.stderr, /--same-as must be a URL that was pulled from\. Pulled so far: http/)
})

void test('a local account with the ID of a submitter gets nothing until the operator confirms that it is the same person', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const make = (id: number, name: string) =>
    done(
      ['accounts', 'create', '--id', String(id), '--name', name, '--email', `a${id}@trails.example`],
      options,
    )
  await make(60, 'Anna')
  await make(61, 'Someone else')
  await make(62, 'Rider')
  const images = [
    await standInImage(1, { submitterAcctID: 60, displayName: 'Anna' }),
    await standInImage(2, { submitterAcctID: 61, displayName: 'Bert' }),
    await standInImage(3, { submitterAcctID: 63, displayName: 'Cleo' }),
  ]
  const trail = { id: 7, name: 'Rim', slug: 'rim', images }
  const routes = new Map([[62, [standInRoute(1)]]])
  const standIn = await startStandIn(t, { trails: [trail], routes })
  const token = ['--routes-url', standIn.routesBase, '--token', `62=${standInToken(62)}`]
  const args = [...asOf(standIn.base, '--trails', '7'), ...token]
  const barred = ['image 1 other-person', 'image 2 other-person', 'routes 62 other-person']
  for (const more of [['--dry-run'], []]) {
    const result = await pulled([...args, ...more], options)
    assert.deepEqual([result.exitCode, result.images.new, codesOf(result)], [2, 1, barred])
  }
  assert.ok(
    ![...standIn.asked.keys()].some((path) => /id=[12]&|Accounts/.test(path)),
    'nothing of theirs is asked for',
  )

  const some = [...args, '--same-people', '60,62']
  for (const more of [['--dry-run'], []]) {
    const result = await pulled([...some, ...more], options)
    assert.deepEqual([result.images.new, result.routes.new], [1, 1])
    const codes = codesOf(result)
      .filter((code) => !code.startsWith('routes'))
      .toSorted()
    assert.deepEqual(codes, ['account 60 account-taken', 'image 2 other-person'])
  }
  // They are known from now on.
  const later = await pulled(args, options)
  assert.deepEqual([later.images.unchanged, later.routes.unchanged], [2, 1])
  assert.deepEqual(
    codesOf(later).filter((code) => code.includes('other-person')),
    ['image 2 other-person'],
  )
  const server = await serving(t, options, 60)
  const ids = [...(await lists(server, 7)).json.matchAll(/"imageID":(\d+)/g)].map(([, id]) => Number(id))
  assert.deepEqual(ids, [1, 3])
  const wrong = await run([...args, '--same-people', '60,x'], options)
  assert.match(wrong.stderr, /--same-people must be comma-separated account IDs, or all\./)
})

void test('a pull that was refused at once is not continued, and another command writes its own report', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const trails = [
    await standInTrail(7, [1]),
    { id: 8, name: 'Rim', slug: 'rim', images: [await standInImage(2, { title: 'x'.repeat(300) })] },
    await standInTrail(9, [3]),
  ]
  let isBusy = false
  const standIn = await startStandIn(t, {
    trails,
    faultOf: (path) => (isBusy && path.includes('/9/') ? { status: 503, retryAfter: '3600' } : undefined),
  })
  const wrongKey = ['pull', standIn.base, '--api-key', 'wrong', '--trails', '7,8,9']
  assert.equal((await run(wrongKey, options)).exitCode, 3)
  isBusy = true
  const stopped = await run(asOf(standIn.base, '--trails', '7,8,9'), options)
  assert.match(stopped.stderr, /asks to wait 60 minutes/)
  isBusy = false

  const seven = await pulled(asOf(standIn.base, '--trails', '7'), options)
  assert.deepEqual([seven.exitCode, seven.resumed, codesOf(seven)], [0, true, []], 'nothing of trail 8')
  const all = await pulled(asOf(standIn.base, '--trails', '7,8,9'), options)
  assert.deepEqual([all.resumed, codesOf(all)], [false, ['image 2 not-readable']])
  assert.equal((await run(wrongKey, options)).exitCode, 3)
  assert.equal((await pulled(asOf(standIn.base, '--trails', '7'), options)).resumed, false)
})

/** A proxy that can be stopped, as if the server had been killed, and restarted on the same port. */
async function createWay(target: number) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(target, '127.0.0.1')
    for (const one of [socket, onward]) {
      open.add(one)
      one.on('error', () => undefined)
    }
    socket.pipe(onward).pipe(socket)
  })
  const port = await lastingPort()
  const give = () => once(server.listen(port, '127.0.0.1'), 'listening')
  await give()
  return {
    base: `http://127.0.0.1:${port}/V1`,
    give,
    take: (): void => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

void test('if the other server is killed, the pull ends with one sentence, skips nothing, and resumes', async (t) => {
  const options = { dataDir: await newFolder(t), settings }
  const trail = await standInTrail(7, [1, 2, 3, 4, 5, 6])
  let toTake = 3
  const standIn = await startStandIn(t, {
    trails: [trail],
    formats: 'json',
    onStep: (step) => {
      if (step !== 'half') return
      toTake -= 1
      if (toTake === 0) way.take()
    },
  })
  const way = await createWay(Number(new URL(standIn.base).port))
  t.after(way.take)
  // In the middle of the second photo; then twice while the server is still down.
  for (const photos of [3, 0, 0]) {
    toTake = photos
    const ended = await run(asOf(way.base, '--trails', '7'), options)
    assert.equal(ended.exitCode, 2)
    assert.match(ended.stderr, /cannot be reached \(.*ECONNREFUSED.*\): run the same command again/)
  }
  await way.give()
  toTake = -1
  const last = await pulled(asOf(way.base, '--trails', '7'), options)
  assert.deepEqual([last.exitCode, last.resumed, last.left], [0, true, 0])
  const server = await serving(t, options, 51)
  assert.equal((await lists(server, 7)).json, listJson(trail))
})
