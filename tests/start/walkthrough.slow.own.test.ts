// The commands of docs/walkthrough.md, pasted into a shell, against a server started as the README says.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { corpusAbsent, corpusFile } from '../helpers/corpus.ts'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { jpegPicture, openPicture } from '../helpers/pictures.ts'
import { lastingPort } from '../helpers/ports.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')

/** A real photo where the corpus is at hand, else one made in code; both carry a position. */
async function photo(): Promise<Buffer> {
  if (corpusAbsent === undefined) return corpusFile('gps', 'google-pixel.jpg')
  return writePrivateMetadata(await jpegPicture(), { position: { lat: 50.2996028, lon: 14.8202944 } })
}

void test('the walkthrough works by copy and paste', { timeout: 120_000 }, async (t) => {
  const hasCurl = await run('curl', ['--version']).then(Boolean, () => false)
  if (!hasCurl) return t.skip('curl is not installed')

  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-readme-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const port = await lastingPort()
  const photoFile = path.join(folder, 'photo.jpg')
  await writeFile(photoFile, await photo())
  const environment = { ...process.env, PORT: String(port), DATA_DIR: path.join(folder, 'data') }

  const server = spawn('npm', ['start'], {
    cwd: root,
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => process.kill(-(server.pid ?? 0), 'SIGTERM'))
  for await (const line of createInterface({ input: server.stderr })) if (line.includes('listens on')) break

  const walk = await readFile(path.join(root, 'docs/walkthrough.md'), 'utf8')
  const blocks = [...walk.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands)
  assert.ok(blocks.length >= 5)
  const script = blocks
    .join('\n')
    .replace('URL=http://127.0.0.1:8080', `URL=http://127.0.0.1:${port}`)
    .replace('PHOTO=photo.jpg ', `PHOTO=${photoFile} `)
    .replaceAll('view-$SIZE.jpg', path.join(folder, 'view-$SIZE.jpg'))
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: root, env: environment })

  const imageId = /^image ([1-9]\d*)$/m.exec(stdout)?.[1]
  assert.ok(imageId, stdout)
  assert.match(stdout, /^true/m) // the details were set
  assert.match(stdout, /"status":"approved"/)
  assert.match(
    stdout,
    new RegExp(`"imageID":${imageId},"lat":"50.2996028","lon":"14.8202944","mimeType":"image\\\\/jpeg"`),
  )
  assert.match(
    stdout,
    new RegExp(`<ArrayOfTrailImageDetails><TrailImageDetails>.*<imageID>${imageId}</imageID>`),
  )
  assert.match(stdout, /<title>At the bridge<\/title>/)
  for (const size of ['sm', '150', 'md', '640', 'lg']) {
    const bytes = await readFile(path.join(folder, `view-${size}.jpg`))
    assert.equal((await openPicture(bytes).metadata()).format, 'jpeg', size)
  }
  assert.match(stdout, /"length":1\.38\d+,"name":"Rim loop","routeID":\d+/)
  assert.match(stdout, /"visibility":"public"/)
  assert.match(stdout, /"type":"LineString","coordinates":\[\[7\.44,46\.94\],\[7\.44,46\.96\]\]/)
})
