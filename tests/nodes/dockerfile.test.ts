// The Dockerfile, done in a clean folder: what comes of it serves without dev dependencies, from a tree it cannot write, and not as root.
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { isSent, readDockerfile } from '../helpers/dockerfile.ts'
import { freePort } from '../helpers/nginx.ts'
import { buildImage, type Image } from '../deploy/image.ts'

const run = promisify(execFile)
const checkout = path.resolve(import.meta.dirname, '../..')
const isRoot = process.getuid?.() === 0
const skip = process.platform !== 'linux' && 'needs Linux'

/** The command as the image would run it: by its user, with its environment, its `/` the folder. */
function asImage(image: Image, command: readonly string[], settings: Readonly<Record<string, string>>) {
  const inImage = Object.entries(image.environment).map(([name, value]) => [
    name,
    value.startsWith('/') ? path.join(image.root, value) : value,
  ])
  const environment = {
    PATH: path.join(image.root, 'bin'),
    HOME: '/nonexistent',
    ...Object.fromEntries(inImage),
    ...settings,
  }
  const [uid = '', gid = ''] = image.user.split(':')
  const words = command.map((word) => (word === 'node' ? path.join(image.root, 'bin/node') : word))
  const all = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...words] : words
  const [file = '', ...rest] = all
  // setpriv is looked for on this machine, before the image's own path counts.
  return {
    file: file === 'setpriv' ? '/usr/bin/setpriv' : file,
    rest,
    options: { cwd: path.join(image.root, image.workdir), env: environment },
  }
}

void describe('the image', { skip }, () => {
  let folder = ''
  let image: Image
  let server: ChildProcess
  let url = ''
  let said = ''
  let settings: Record<string, string> = {}

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waymark-image-'))
    await chmod(folder, 0o755) // whoever the image runs as has to come in
    image = await buildImage({
      stages: readDockerfile(await readFile(path.join(checkout, 'Dockerfile'), 'utf8')),
      context: checkout,
      ignoreFile: await readFile(path.join(checkout, '.dockerignore'), 'utf8'),
      folder,
      instead: {
        // The very packages that `npm ci` has put into this checkout.
        'npm pkg delete optionalDependencies && npm ci': (place) =>
          symlink(path.join(checkout, 'node_modules'), path.join(place, 'node_modules')),
      },
    })
    await mkdir(path.join(image.root, 'bin'), { recursive: true })
    await copyFile(process.execPath, path.join(image.root, 'bin/node'))
    await chmod(path.join(image.root, 'bin/node'), 0o755)
    // Root builds it and another runs it, as in an image; where nobody is root, nobody may write.
    if (!isRoot) await run('chmod', ['-R', 'a-w', path.join(image.root, image.workdir)])
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    settings = { PORT: String(port), HOST: '127.0.0.1', PUBLIC_URL: `${url}/photos` }
    const { file, rest, options } = asImage(image, image.command, settings)
    server = spawn(file, rest, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    const over = once(server, 'close', { signal: AbortSignal.timeout(30_000) })
    server.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    while (!said.includes('Waymark listens on')) {
      if (server.exitCode !== null) assert.fail(said)
      await Promise.race([server.stderr && once(server.stderr, 'data'), over])
    }
  })
  after(async () => {
    server?.kill('SIGKILL')
    if (!isRoot && folder !== '') await run('chmod', ['-R', 'u+w', folder])
    await rm(folder, { recursive: true, force: true })
  })

  const healthCheck = async (): Promise<number> => {
    const { file, rest, options } = asImage(image, image.healthCheck, settings)
    const child = spawn(file, rest, { ...options, stdio: 'ignore' })
    const [code] = (await once(child, 'close')) as [number]
    return code
  }

  void test('is ready, and sends the web app', async () => {
    assert.equal((await fetch(`${url}/photos/health/ready`)).status, 200)
    const page = await fetch(`${url}/photos/`, { headers: { accept: 'text/html' } })
    assert.equal(page.status, 200)
    const script = /src="([^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
    const sent = await fetch(new URL(script, `${url}/photos/`))
    assert.equal(sent.status, 200)
    assert.match(sent.headers.get('content-type') ?? '', /javascript/)
    assert.doesNotMatch(said, /web app/i, 'nothing is built at the start')
  })

  void test('runs as a number that is not 0, and can write nothing but its volume', async () => {
    assert.match(image.user, /^[1-9]\d*:[1-9]\d*$/)
    assert.deepEqual(image.volumes, [image.environment['DATA_DIR']])
    const script = `const fs = require('node:fs'); const could = []
      for (const place of ['.', 'src', 'dist/web', 'node_modules']) try { fs.writeFileSync(place + '/x', ''); could.push(place) } catch {}
      process.stdout.write(could.join())`
    const { file, rest, options } = asImage(image, ['node', '-e', script], settings)
    assert.equal((await run(file, rest, options)).stdout, '')
    const written = await readdir(path.join(image.root, image.environment['DATA_DIR'] ?? ''))
    assert.ok(written.includes('waymark.sqlite') && written.includes('secret'))
  })

  void test('holds no dev dependency, no second Node, no source of the app, no tests', async () => {
    const inside = await readdir(path.join(image.root, image.workdir))
    for (const name of ['web', 'tests', 'bench', '.git', 'data']) assert.ok(!inside.includes(name), name)
    const packages = await readdir(path.join(image.root, image.workdir, 'node_modules'))
    for (const name of ['vite', 'typescript', 'react']) assert.ok(!packages.includes(name), name)
    assert.deepEqual(
      packages.filter((name) => name.startsWith('node-')),
      [],
    )
    assert.ok(packages.includes('fastify'))
  })

  /** A command of the image's own, beside the server. @returns what it prints as JSON. */
  async function waymark(...words: string[]): Promise<Record<string, unknown>> {
    const { file, rest, options } = asImage(image, ['node', 'bin/waymark.cjs', ...words, '--json'], settings)
    return JSON.parse((await run(file, rest, options)).stdout) as Record<string, unknown>
  }

  void test('takes a photo, with the commands of the image and the process that it starts for photos', async () => {
    await waymark('trails', 'add', '--id', '4711', '--name', 'Rim Trail')
    const { acctID } = await waymark('accounts', 'create', '--email', 'ann@example.org', '--name', 'Ann')
    const words = ['--account', String(acctID), '--name', 'camera', '--scope', 'images:write']
    const { clientId, clientSecret } = await waymark('clients', 'create', ...words)
    const form = {
      grant_type: 'client_credentials',
      client_id: String(clientId),
      client_secret: String(clientSecret),
    }
    const token = await fetch(`${url}/photos/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const { access_token: accessToken } = (await token.json()) as { access_token: string }
    const raw = { width: 40, height: 30, channels: 3, background: 'green' } as const
    const uploaded = await fetch(`${url}/photos/Trails/4711/Images`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'image/jpeg',
        accept: 'application/json',
      },
      body: await sharp({ create: raw }).jpeg().toBuffer(),
    })
    assert.equal(uploaded.status, 201, await uploaded.text())
  })

  void test('its health check follows the server, whose SIGTERM is an end in good order', async () => {
    assert.equal(await healthCheck(), 0)
    const over = once(server, 'close')
    server.kill('SIGTERM')
    assert.deepEqual(await over, [0, null])
    assert.match(said, /Waymark is stopping\.\n/)
    assert.equal(await healthCheck(), 1)
  })
})

void test('the .dockerignore keeps back what lies beside the sources', { skip }, async () => {
  const ignoreFile = await readFile(path.join(checkout, '.dockerignore'), 'utf8')
  for (const file of [
    'data/secret',
    '.env',
    'deploy/.env',
    'node_modules/fastify/package.json',
    '.git/config',
    'docs/screenshots/a.webp',
  ])
    assert.equal(isSent(ignoreFile, file), false, file)
  for (const file of ['src/main.ts', 'docs/openapi.json', 'package.json'])
    assert.equal(isSent(ignoreFile, file), true, file)
})
