// The image: the complete Dockerfile is built, and the result does what the guides say, as a user who can only write to
// /data and /tmp.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { jpegPicture, openPicture } from '../helpers/pictures.ts'
import { startContainer, type Container } from './container.ts'
import { buildImage, whyNoEngine, type BuiltImage } from './engine.ts'
import { read } from './files.ts'

const run = promisify(execFile)
const url = 'http://127.0.0.1:8080'
/** --start-period of the Dockerfile. */
const startPeriodMs = 60_000

void describe('the image', { skip: whyNoEngine() }, () => {
  let folder = ''
  let data = ''
  let image: BuiltImage
  let container: Container
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waymark-container-'))
    image = await buildImage('Dockerfile')
    // A new volume has the owner and mode of the image's folder.
    data = await mkdtemp(path.join(folder, 'data-'))
    await chown(data, 10_001, 10_001)
    container = await startContainer(image, data, { PUBLIC_URL: url })
  })
  after(async () => {
    await container?.kill()
    await image?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Like Docker: while a container starts, a failed check does not count. */
  async function untilHealthy(check: readonly string[]): Promise<string> {
    for (const latest = performance.now() + startPeriodMs; ;) {
      try {
        return await container.exec(...check)
      } catch (error) {
        if (performance.now() > latest) throw error
      }
    }
  }

  void test('has a user who is not root, a volume, a stop signal and a health check', async () => {
    const { config } = image
    assert.equal(config.user, '10001:10001')
    assert.deepEqual(config.volumes, ['/data'])
    assert.equal(config.stopSignal, 'SIGTERM')
    assert.deepEqual(config.command, ['node', '--', 'bin/waymark.cjs', 'serve'])
    assert.equal(await untilHealthy(config.healthCheck), '')
    const { uid, gid, mode } = await stat(path.join(image.root, 'data'))
    assert.deepEqual([uid, gid, mode & 0o777], [10_001, 10_001, 0o700])
  })

  void test('contains no dev dependency, no second Node, no source of the app, no tests', async () => {
    const inside = await readdir(path.join(image.root, image.config.workdir))
    for (const name of ['web', 'tests', 'bench', '.git', 'data']) assert.ok(!inside.includes(name), name)
    const packages = await readdir(path.join(image.root, image.config.workdir, 'node_modules'))
    for (const name of ['vite', 'typescript', 'react']) assert.ok(!packages.includes(name), name)
    const nodes = packages.filter((name) => /^node-(?:bin-)?(?:darwin|linux|win)/.test(name))
    assert.deepEqual(nodes, [])
    assert.ok(packages.includes('fastify'))
  })

  void test('lets its user write only to /data and /tmp', async () => {
    const own = [
      '-xdev',
      '(',
      '-uid',
      '10001',
      '-o',
      '-gid',
      '10001',
      '-o',
      '-type',
      'f',
      '-perm',
      '/o+w',
      ')',
    ]
    assert.equal((await run('find', [image.root, ...own, '-printf', '/%P\\n'])).stdout, '/data\n')
    const script = `const fs = require('node:fs')
      const said = ['.', 'src', 'dist/web', 'node_modules', '/etc', '/var/tmp', '/data', '/tmp'].map((place) => {
        try { fs.writeFileSync(place + '/x', ''); fs.rmSync(place + '/x'); return place } catch (error) { return error.code }
      })
      console.log([process.getuid(), process.getgid(), ...said].join())`
    const said = await container.exec('node', '-e', script)
    assert.equal(said, `10001,10001,${'EROFS,'.repeat(6)}/data,/tmp\n`)
  })

  void test('becomes ready, and serves the web app and OpenAPI', async () => {
    const get = (place: string) =>
      container.shell(`curl -sS --fail -H 'Accept: text/html, */*' ${url}${place}`)
    assert.match(await get('/health/ready'), /ready|ok/i)
    const page = await get('/')
    assert.match(page, /<div id="root"><\w/, 'rendered by the server, which has no React')
    const script = /src="([^"]+\.js[^"]*)"/.exec(page)?.[1]
    assert.ok(script !== undefined, page)
    assert.match(
      await container.shell(`curl -sS --fail -o /dev/null -w '%{content_type}' '${url}${script}'`),
      /javascript/,
    )
    const { openapi, paths } = JSON.parse(await get('/openapi.json')) as { openapi: string; paths: object }
    assert.equal(openapi, '3.1.0')
    assert.ok('/v2/images/{imageID}/review' in paths)
    assert.doesNotMatch(container.said(), /web app/i, 'nothing is built at the start')
    assert.match(container.said(), /There is no admin yet\..*:\n +http:\/\/127\.0\.0\.1:8080\/join\/\S+\n/)
  })

  void test('the doctor command in operations.md finds no problem in it', async () => {
    const command = /compose\.yaml exec waymark (waymark doctor)\n/.exec(
      await read('docs/operations.md'),
    )?.[1]
    assert.ok(command !== undefined)
    assert.match(
      await container.exec(...command.split(' ')),
      /^(?:All|Everything else) is well\. Details: waymark doctor --all$/m,
    )
  })

  void test('the walkthrough works, and its results are there after a restart', async () => {
    const photo = path.join(folder, 'photo.jpg')
    const position = { lat: 50.2996028, lon: 14.8202944 }
    await writeFile(photo, writePrivateMetadata(await jpegPicture(), { position }))
    const walk = await read('docs/walkthrough.md')
    const blocks = [...walk.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands)
    const script = blocks
      .join('\n')
      .replace('PHOTO=photo.jpg ', `PHOTO=${photo} `)
      .replace(/^waymark\(\) .*$/m, '') // the command of the image
      .replaceAll('view-$SIZE.jpg', path.join(folder, 'view-$SIZE.jpg'))
    const said = await container.shell(`${script}\necho "key $API_KEY"`)
    const id = /^image ([1-9]\d*)$/m.exec(said)?.[1]
    assert.ok(id !== undefined, said)
    assert.match(said, /"status":"approved"/)
    assert.match(said, new RegExp(`"imageID":${id},"lat":"50.2996028"`))
    assert.match(said, /"visibility":"public"/)
    const view = path.join(folder, 'view-640.jpg')
    assert.equal((await openPicture(await readFile(view)).metadata()).format, 'jpeg')

    assert.equal(await container.stop(), 0)
    assert.match(container.said(), /Waymark is stopping\.\n/)
    container = await startContainer(image, data, { PUBLIC_URL: url })
    const again = path.join(folder, 'again.jpg')
    const key = /^key (\S+)$/m.exec(said)?.[1]
    const listed = await container.shell(`curl -sS --fail -o ${again} '${url}/ImageHandler?id=${id}&t=640'
      curl -sS --fail '${url}/Trails/4711/Images/?api_key=${key}'`)
    assert.match(listed, new RegExp(`"imageID":${id},`))
    assert.deepEqual(await readFile(again), await readFile(view))
  })

  void test('the builder gets nothing that lies beside the sources', async () => {
    const kept = ['data/secret', '.env', 'deploy/.env', 'node_modules/fastify/package.json', '.git/config']
    const sent = ['docs/openapi.json', 'package.json', 'src/main.ts']
    assert.deepEqual(await image.sent([...kept, 'docs/screenshots/a.webp', ...sent]), sent)
  })
})
