// @waymark/client and @waymark/placing as others install them: from their tarballs, with Node, a bundler and TypeScript.
// Over 300 lines because every test uses the same two tarballs, which take seconds to build.
import assert from 'node:assert/strict'
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import rootPackage from '../../package.json' with { type: 'json' }
import clientPackage from '../../client/package.json' with { type: 'json' }
import placingPackage from '../../client/placing/package.json' with { type: 'json' }
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { gpxOf, walkNorth } from '../shared/placing/placing-helpers.ts'
import { complaintsAbout, installIn, packAll, root, run, runIn } from './packages.ts'

const packed = await packAll()
after(packed.remove)

void test("the package: small, without dependencies and scripts, with the server's version, and reproducible", async (t) => {
  for (const { version, license } of [clientPackage, placingPackage]) {
    assert.equal(version, rootPackage.version)
    assert.equal(license, 'Apache-2.0')
  }
  const { type, sideEffects } = clientPackage
  assert.deepEqual({ type, sideEffects }, { type: 'module', sideEffects: false })
  const said = new Set(Object.keys(clientPackage))
  for (const word of [
    'dependencies',
    'peerDependencies',
    'optionalDependencies',
    'scripts',
    'private',
    'bin',
  ])
    assert.ok(!said.has(word), `client/package.json says ${word}`)
  assert.ok(!('scripts' in placingPackage) && !('private' in placingPackage))
  for (const [name, range] of Object.entries(placingPackage.dependencies)) {
    const versions: Readonly<Record<string, string>> = rootPackage.dependencies
    assert.equal(range, `^${versions[name]}`)
  }
  const again = await packAll()
  t.after(again.remove)
  for (const name of ['client', 'placing'] as const) {
    const bytes = await readFile(packed[name])
    assert.ok(bytes.length <= 50_000, `${name} has ${bytes.length} bytes`)
    assert.ok(bytes.equals(await readFile(again[name])), 'the same sources, other bytes')
  }
})

void test('every file of the package refers only to files of the package', async (t) => {
  const folder = await newFolder(t)
  await installIn(folder, [packed.client])
  const home = path.join(folder, 'node_modules/@waymark/client')
  const files = await filesBelow(home)
  for (const name of ['LICENSE', 'README.md', 'package.json', 'dist/client.js', 'dist/client.d.ts'])
    assert.ok(files.includes(name), name)
  for (const file of files.filter((name) => /\.(?:js|ts)$/.test(name))) {
    const text = await readFile(path.join(home, file), 'utf8')
    for (const [, from = ''] of text.matchAll(/(?:from |import\()\s*['"]([^'"]+)['"]/g)) {
      const target = path.posix.join(path.posix.dirname(file), from)
      const declared = target.replace(/\.js$/, '.d.ts')
      assert.ok(
        from.startsWith('.') && (files.includes(target) || files.includes(declared)),
        `${file}: ${from}`,
      )
    }
  }
})

void test('Node: installed without a registry, the programs of its README run against a server', async (t) => {
  const folder = await newFolder(t)
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  await waymark.addTrail(4711, 'Ridge')
  await installIn(folder, [packed.client])
  await writeFile(path.join(folder, 'bridge.jpg'), await jpegPicture())
  const readme = await readFile(path.join(folder, 'node_modules/@waymark/client/README.md'), 'utf8')
  const [list = '', upload = '', limited = '', ...others] = [
    ...readme.matchAll(/^```js\n([\s\S]*?)^```/gm),
  ].map(([, code]) => code)
  assert.deepEqual(others, [])
  const values: Readonly<Record<string, string>> = {
    'https://trails.example': waymark.url,
    YOUR_KEY: await waymark.addKey(reviewer.accountId),
    YOUR_TOKEN: reviewer.token,
  }
  const runWith = async (code: string): Promise<string> => {
    let filled = code
    for (const [name, value] of Object.entries(values)) filled = filled.replaceAll(name, value)
    await writeFile(path.join(folder, 'program.js'), filled)
    return runIn(folder, 'program.js')
  }
  const [, imageId] = /^(\d+) pending\n$/.exec(await runWith(upload)) ?? []
  assert.equal((await waymark.review(reviewer, Number(imageId), 'approve')).status, 200)
  const listed = `Ridge 1\nAt the bridge ${waymark.url}/ImageHandler?id=${imageId}&t=640\n`
  assert.equal(await runWith(list), listed)
  assert.equal(
    await runWith(upload.replaceAll('4711', '8')),
    '404 invalid-trail-id There is no trail with this ID.\n',
  )
  assert.equal(await runWith(limited), 'Ridge\n')
})

void test('CommonJS: require loads both entry points, with types', async (t) => {
  const folder = await newFolder(t)
  await installIn(folder, [packed.client])
  const load = `const { createWaymark, isWaymarkProblem } = require('@waymark/client')
    const { createTrailCalls } = require('@waymark/client/parts')
    console.log(typeof createWaymark, typeof isWaymarkProblem, typeof createTrailCalls)`
  await writeFile(path.join(folder, 'program.cjs'), load)
  assert.equal(await runIn(folder, 'program.cjs'), 'function function function\n')
  await writeFile(
    path.join(folder, 'program.cts'),
    "import { createWaymark } from '@waymark/client'\nexport const { trails } = createWaymark({ baseUrl: '' })\n",
  )
  const compilerOptions = { ...strictest, verbatimModuleSyntax: false, ...platforms['the types of browsers'] }
  const files = ['program.cts']
  const inNodenext = { ...compilerOptions, ...resolutions.nodenext }
  assert.equal(await complaintsAbout(folder, { compilerOptions: inNodenext, files }), '')
})

const bundles = [
  {
    what: 'everything, of which lists are read',
    maxGzipped: 8_500,
    code: `import { createWaymark } from '@waymark/client'
    const { trails } = createWaymark({ baseUrl: process.argv[2], credential: { apiKey: process.argv[3] } })`,
  },
  {
    what: 'the lists of trails alone',
    maxGzipped: 4_000,
    code: `import { createTrailCalls, createTransport } from '@waymark/client/parts'
    const trails = createTrailCalls(createTransport({ baseUrl: process.argv[2], credential: { apiKey: process.argv[3] } }))`,
  },
]
for (const { what, maxGzipped, code } of bundles)
  void test(`a bundler: ${what}`, async (t) => {
    const folder = await newFolder(t)
    const waymark = await startWaymark()
    t.after(() => waymark.close())
    const { accountId } = await waymark.addPerson()
    await waymark.addTrail(7, 'Ridge')
    await installIn(folder, [packed.client])
    const entry = path.join(folder, 'page.js')
    await writeFile(entry, `${code}\nfor await (const { name } of trails.each()) console.log(name)\n`)
    const lib = { entry, formats: ['es'], fileName: 'page' }
    const config = { build: { outDir: 'out', target: 'es2022', minify: true, lib } }
    await writeFile(path.join(folder, 'vite.config.js'), `export default ${JSON.stringify(config)}`)
    const vite = path.join(root, 'node_modules/vite/bin/vite.js')
    await run(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder })
    const bundle = await readFile(path.join(folder, 'out/page.js'))
    const gzipped = gzipSync(bundle, { level: 9 }).length
    t.diagnostic(`${bundle.length} bytes, ${gzipped} gzipped`)
    assert.ok(gzipped <= maxGzipped, `${gzipped} bytes gzipped`)
    for (const unused of ['oauth/token', 'code_challenge', 'webhook-signature'])
      assert.ok(!bundle.includes(unused), `the bundle has ${unused}`)
    await rename(path.join(folder, 'node_modules'), path.join(folder, 'away')) // the bundle is self-contained
    assert.equal(await runIn(folder, 'out/page.js', waymark.url, await waymark.addKey(accountId)), 'Ridge\n')
  })

/** Typical code with exports, whose declarations must name our types. */
const program = `
import {
  createOauth, createTokenSource, createWaymark, isUnreachable, isWaymarkProblem, randomKey, readWebhook,
  type Image, type NewTrail, type Tokens, type Trail, type Waymark, type WaymarkEvent,
} from '@waymark/client'
import { createImageCalls, createTrailCalls, createTransport } from '@waymark/client/parts'

export const waymark = createWaymark({ baseUrl: 'https://trails.example', credential: { apiKey: 'key' } })
export const trails = createTrailCalls(createTransport({ baseUrl: 'https://trails.example' }))
export const images = createImageCalls(createTransport({ baseUrl: 'https://trails.example' }))
export const oauth = createOauth({ baseUrl: 'https://trails.example', clientId: 'app', scopes: ['images:read'] })
export const sourceOf = (tokens: Tokens) =>
  createTokenSource(tokens, { refresh: ({ refreshToken = '' }) => oauth.refresh(refreshToken) })
export const placeOf = async (site: Waymark, routeID: number) => (await site.routes.get(routeID)).start
export const flagsOf = async (site: Waymark) => (await site.review.queue.page({ trailID: 7 })).items[0]?.queue.flags
export const send = (site: Waymark, file: Blob): Promise<Image> =>
  site.images.upload(7, file, { title: undefined }, { idempotencyKey: randomKey(), onProgress: ({ sentBytes }) => sentBytes })
export async function* follow(site: Waymark): AsyncGenerator<WaymarkEvent> {
  for await (const event of site.events({ types: ['image.approved'], signal: AbortSignal.timeout(1_000) })) yield event
}
export const read = async (request: Request) =>
  readWebhook({ headers: request.headers, body: await request.text(), secret: 'whsec_AAAA' })
export const trail: NewTrail = { name: 'Ridge', slug: undefined }
export async function first(site: Waymark): Promise<Trail | undefined> {
  try {
    const [found] = (await site.trails.page({ q: 'ridge' })).items
    return found && (await site.trails.get(found.trailID))
  } catch (error) {
    if (isWaymarkProblem(error)) console.log(error.code satisfies string, error.kept?.oldest.toFixed())
    if (isUnreachable(error)) console.log(error.mayBeDone satisfies boolean)
    throw error
  }
}
`
/** Type errors that must be found. */
const mistaken = `
import { createWaymark, type NewTrail } from '@waymark/client'
const { trails } = createWaymark({ baseUrl: 'https://trails.example', credential: { password: 'none' } })
const [found] = (await trails.page()).items
console.log(found.trailID, found?.nothing)
export const trail: NewTrail = { slug: 'ridge' }
`
const strictest = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  declaration: true,
  outDir: 'out',
  target: 'es2022',
}
const platforms = {
  'the types of browsers': { lib: ['es2022', 'dom'], types: [] },
  'the types of Node alone': { lib: ['es2022'], types: ['node'] },
}
const resolutions = {
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
}

void test("TypeScript's strictest settings, with libraries checked", async (t) => {
  const folder = await newFolder(t)
  await installIn(folder, [packed.client])
  await writeFile(path.join(folder, 'program.ts'), program)
  await writeFile(path.join(folder, 'mistaken.ts'), mistaken)
  for (const [platform, some] of Object.entries(platforms))
    for (const [resolution, others] of Object.entries(resolutions)) {
      const compilerOptions = {
        ...strictest,
        ...some,
        ...others,
        typeRoots: [path.join(root, 'node_modules/@types')],
      }
      const complaints = await complaintsAbout(folder, { compilerOptions, files: ['program.ts'] })
      assert.equal(complaints, '', `${platform}, ${resolution}`)
      const found = await complaintsAbout(folder, { compilerOptions, files: ['mistaken.ts'] })
      const codes = [...found.matchAll(/^mistaken\.ts\((\d+),\d+\): error (TS\d+)/gm)]
      assert.deepEqual(
        codes.map(([, line, code]) => `${line} ${code}`),
        ['3 TS2353', '5 TS18048', '5 TS2339', '6 TS2741'],
        found,
      )
    }
})

/** Documents whose published type is narrower than the type in the repository, since the schema says more. */
const closer = new Set([
  'AccountPatch',
  'AdminAccount',
  'ImageGeoJson',
  'LineGeometry',
  'Me',
  'RouteGeoJson',
  'Trail',
  'TrailCollection',
  'TrashedImage',
])

void test('the published types are those of the schemas in the repository', async (t) => {
  const folder = await newFolder(t)
  await installIn(folder, [packed.client])
  const text = await readFile(path.join(root, 'client/types.ts'), 'utf8')
  const names = [...text.matchAll(/^export type (\w+) =/gm)].map(([, name = '']) => name)
  assert.ok(names.length > 90, `only ${names.length} types`)
  const lines = names.map(
    (name) => `export const to${name} = (value: Published.${name}): Ours.${name} => value`,
  )
  for (const name of names.filter((one) => !closer.has(one)))
    lines.push(`export const from${name} = (value: Ours.${name}): Published.${name} => value`)
  await writeFile(
    path.join(folder, 'same.ts'),
    `import type * as Published from '@waymark/client'\nimport type * as Ours from '${root}/client/types.ts'\n${lines.join('\n')}`,
  )
  const complaints = await complaintsAbout(folder, {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: { typeRoots: [path.join(root, 'node_modules/@types')] },
    include: [],
    files: ['same.ts'],
  })
  assert.equal(complaints, '')
})

void test('@waymark/placing: installed beside it with its dependencies, typed and run', async (t) => {
  const folder = await newFolder(t)
  const needed = Object.keys(placingPackage.dependencies).map((name) => path.join(root, 'node_modules', name))
  await installIn(folder, [packed.placing, ...needed])
  const source = `import { placeOnTrack } from '@waymark/placing'
    const gpx = process.argv[2] ?? ''
    const placed = await placeOnTrack([{ localTime: '2026-05-14T14:00:10', hasPosition: false }], gpx)
    if (!placed.ok) throw new Error(placed.fault.detail)
    const [photo] = placed.value.photos
    console.log(placed.value.timeZone, photo?.kind === 'placed' && photo.details.positionSource)`
  await writeFile(path.join(folder, 'place.ts'), source)
  const { outDir, ...options } = strictest
  const complaints = await complaintsAbout(folder, {
    compilerOptions: {
      ...options,
      ...platforms['the types of Node alone'],
      ...resolutions.nodenext,
      typeRoots: [path.join(root, 'node_modules/@types')],
      outDir,
    },
    files: ['place.ts'],
  })
  assert.equal(complaints, '')
  const gpx = gpxOf(walkNorth(Date.UTC(2026, 4, 14, 12), 60))
  assert.equal(await runIn(folder, 'out/place.js', gpx), 'Europe/Zurich track\n')
})
