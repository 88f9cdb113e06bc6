// Files of the web app: types, compression, cache times, and no path traversal.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { mainScript, makeTinyApp, tinyFiles } from '../helpers/tiny-app.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

const main = '/app/main-Aa1_-b2C.js'

void describe('the files of the web app', () => {
  let waymark: Waymark
  let folder: string

  before(async () => {
    folder = await makeTinyApp()
    waymark = await startWaymark({ webFolder: folder, environment: { WEB_APP: 'on' } })
  })
  after(async () => {
    await waymark.close()
    await rm(folder, { recursive: true })
  })

  /** Raw path and bytes: fetch would normalise the one and decompress the other. */
  const raw = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      const { hostname, port } = new URL(waymark.url)
      const asked = request({ hostname, port, path, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        )
      })
      asked.on('error', reject).end()
    })

  it('are sent with their type, and cached permanently', async () => {
    const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', png: 'image/png' }
    for (const [name, text] of Object.entries(tinyFiles)) {
      const type = types[name.split('.').at(-1) as 'js']
      if (!name.startsWith('app/') || name.includes('hidden') || type === undefined) continue
      const answer = await raw(`/${name}`)
      assert.equal(answer.status, 200, name)
      assert.equal(answer.headers['content-type'], type)
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.body.toString(), text)
    }
  })

  it('come in the encoding the client prefers, each with its own ETag', async () => {
    const asked = async (accepted: string) => {
      const answer = await raw(main, accepted === '' ? {} : { 'accept-encoding': accepted })
      assert.equal(answer.headers['vary'], 'Accept-Encoding')
      return answer
    }
    const brotli = await asked('gzip, deflate, br, zstd')
    assert.equal(brotli.headers['content-encoding'], 'br')
    assert.equal(brotliDecompressSync(brotli.body).toString(), mainScript)
    const zipped = await asked('gzip')
    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(zipped.body).toString(), mainScript)
    for (const accepted of ['', 'identity', 'br;q=0, gzip;q=0', 'compress']) {
      const whole = await asked(accepted)
      assert.equal(whole.headers['content-encoding'], undefined, accepted)
      assert.equal(whole.body.toString(), mainScript)
    }
    const tags = await Promise.all(
      ['br', 'gzip', ''].map(async (coding) => (await asked(coding)).headers['etag']),
    )
    assert.equal(new Set(tags).size, 3)
    const again = await raw(main, { 'accept-encoding': 'br', 'if-none-match': String(tags[0]) })
    assert.deepEqual([again.status, again.body.length], [304, 0])
    const picture = await raw('/app/picture-Ii8.png', { 'accept-encoding': 'br' })
    assert.equal(picture.headers['content-encoding'], undefined)
  })

  it('come in brotli as the build wrote them, which is not served as a file of its own', async () => {
    const text = `export const other = '${'way '.repeat(300)}'\n`
    const built = brotliCompressSync(text)
    await writeFile(path.join(folder, 'app', 'other-Jj9.js'), text)
    await writeFile(path.join(folder, 'app', 'other-Jj9.js.br'), built)
    const sent = await raw('/app/other-Jj9.js', { 'accept-encoding': 'br, gzip' })
    assert.equal(sent.headers['content-encoding'], 'br')
    assert.deepEqual(sent.body, built)
    const whole = await raw('/app/other-Jj9.js')
    assert.equal(whole.body.toString(), text)
    assert.equal((await raw('/app/other-Jj9.js.br')).status, 404)
  })

  it('trust 31: no other path returns a file', async () => {
    const paths = [
      '/app/unknown.js',
      '/app/main-Aa1_-b2C',
      '/app/.hidden.js',
      '/app/source.map',
      '/app/../secret.js',
      '/app/..%2fsecret.js',
      '/app/%2e%2e/secret.js',
      '/app/%2e%2e%2fsecret.js',
      '/app/..%5csecret.js',
      '/app/../.vite/manifest.json',
      '/app/..%2f.vite%2fmanifest.json',
      '/app/main-Aa1_-b2C.js%00.css',
      '/app/%00',
      '/app/%ff.js',
      `/app/${encodeURIComponent(folder)}%2fsecret.js`,
      '/app/constructor',
      '/app',
      '/app/',
      '/secret.js',
      '/.vite/manifest.json',
    ]
    for (const path of paths) {
      const answer = await raw(path)
      assert.equal(answer.status, 404, path)
      assert.doesNotMatch(answer.body.toString(), /not of the app|isEntry/)
    }
  })

  it('HEAD returns the same headers without the bytes', async () => {
    const answer = await waymark.fetch(main, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-length'), String(mainScript.length))
  })
})
