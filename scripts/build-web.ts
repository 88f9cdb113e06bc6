// Builds the web app into dist/web if its sources have changed: for `npm run build`, and before every `waymark serve`.
// A half-finished build is never served: Vite builds into another folder, which then replaces dist/web. Two builds at
// once both run, and either result is right. Files of the previous build are kept, so that open pages can still load
// their chunks.
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

/** Everything the app is built from; missing ones are skipped. */
const sources = [
  'web',
  'client',
  'src/shared',
  'src/site',
  'package.json',
  'package-lock.json',
  'scripts/build-web.ts',
]
const stampName = '.stamp.json'

/** Metadata of a build. */
interface Stamp {
  /** Digest of its sources. */
  readonly digest: string
  /** Files in app/ of this build, without those kept from the previous one. */
  readonly files: readonly string[]
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT'
/** Another user's installation, or a read-only one. */
const isForbidden = (error: unknown): boolean => ['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error)))

async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Sorted files below a folder, or the file itself. */
async function filesAt(place: string): Promise<string[]> {
  const found = await orMissing(stat(place))
  if (found === undefined) return []
  if (!found.isDirectory()) return [place]
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
}

/** The files of docs/ that are pages of the app. Other docs may change without a new build. */
async function guidesIn(root: string): Promise<string[]> {
  const list = path.join(root, 'web/pages/docs/guide-list.ts')
  if ((await orMissing(stat(list))) === undefined) return []
  const { guideNames } = (await import(pathToFileURL(list).href)) as { guideNames: readonly string[] }
  return guideNames.map((name) => `docs/${name}.md`)
}

/** Digest of the names and contents of all sources. */
export async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256')
  for (const source of [...sources, ...(await guidesIn(root))]) {
    for (const file of await filesAt(path.join(root, source))) {
      const bytes = await orMissing(readFile(file))
      if (bytes === undefined) continue // an editor's temporary file, deleted in the meantime
      const name = path.relative(root, file).replaceAll(path.sep, '/')
      hash.update(`${name}\n${bytes.length}\n`).update(bytes)
    }
  }
  return hash.digest('hex')
}

async function readStamp(folder: string): Promise<Stamp | undefined> {
  const text = await orMissing(readFile(path.join(folder, stampName), 'utf8'))
  return text === undefined ? undefined : (JSON.parse(text) as Stamp)
}

/** Keeps files that pages of the previous build may still request. */
async function keepFilesOf(before: string, folder: string): Promise<void> {
  const stamp = await readStamp(before).catch(() => undefined)
  const own = new Set(await readdir(path.join(folder, 'app')))
  for (const name of stamp?.files ?? []) {
    if (own.has(name) || path.basename(name) !== name) continue
    await orMissing(copyFile(path.join(before, 'app', name), path.join(folder, 'app', name)))
  }
}

/** Replaces the target folder. Another build may do the same at this time. */
async function takePlace(folder: string, target: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const aside = `${folder}-before-${attempt}`
    const wasThere = (await orMissing(rename(target, aside).then(() => true))) === true
    try {
      await rename(folder, target)
      return
    } catch (error) {
      // Another build came in between.
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
    } finally {
      if (wasThere) await rm(aside, { recursive: true, force: true })
    }
  }
  throw new Error('other builds keep coming')
}

/**
 * Runs in its own process, so that Vite's memory is freed.
 * @throws Error with Vite's message.
 */
async function runVite(root: string, folder: string): Promise<void> {
  const child = fork(import.meta.filename, ['--into', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    said = (said + piece).slice(-20_000)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  if (code !== 0) throw new Error(said.trim() || `vite ended with ${String(code)}`)
}

const draftPrefix = '.web-'

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/** Removes the leftovers of killed builds; the name of a draft contains the pid of its process. */
async function sweepDrafts(dist: string): Promise<void> {
  for (const name of (await orMissing(readdir(dist))) ?? []) {
    const maker = Number(/^\.web-(\d+)-/.exec(name)?.[1] ?? 0)
    if (name.startsWith(draftPrefix) && (maker === 0 || !isRunning(maker)))
      await rm(path.join(dist, name), { recursive: true, force: true })
  }
}

export type Outcome = 'fresh' | 'built' | 'failed' | 'left'

export interface BuildWebOptions {
  /** Root of the package. */
  readonly root: string
  readonly say: (sentence: string) => void
  /** Builds the app; replaced in tests. */
  readonly make?: (root: string, folder: string) => Promise<void>
}

/** `npm ci --omit=dev` does not install Vite. The existing build is then served. */
const hasVite = async (root: string): Promise<boolean> =>
  (await orMissing(stat(path.join(root, 'node_modules', 'vite', 'package.json')))) !== undefined

/** The part of Vite's report that names the error; the lines above only count errors. */
function faultOf(error: unknown): string {
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error))
  const fault = text.split('\n').find((line) => line.trim() !== '' && !/^\W*build failed/i.test(line))
  return fault?.trim() ?? 'it does not say why'
}

/** Builds the app if it is older than its sources. Never throws: the server serves what exists. */
export async function buildWeb({ root, say, make = runVite }: BuildWebOptions): Promise<Outcome> {
  const target = path.join(root, 'dist', 'web')
  let draft: string | undefined
  try {
    const isSource = (await orMissing(stat(path.join(root, 'web')))) !== undefined
    if (!isSource || (make === runVite && !(await hasVite(root)))) return 'left'
    await sweepDrafts(path.dirname(target))
    const digest = await digestOf(root)
    if ((await readStamp(target).catch(() => undefined))?.digest === digest) return 'fresh'
    await mkdir(path.dirname(target), { recursive: true })
    draft = await mkdtemp(path.join(path.dirname(target), `${draftPrefix}${process.pid}-`))
    say('Building the web app …')
    const begun = performance.now()
    const folder = path.join(draft, 'web')
    await make(root, folder)
    const files = await readdir(path.join(folder, 'app'))
    await writeFile(path.join(folder, stampName), JSON.stringify({ digest, files } satisfies Stamp))
    await keepFilesOf(target, folder)
    await takePlace(folder, target)
    say(`Built the web app in ${((performance.now() - begun) / 1_000).toFixed(1)} s.`)
    return 'built'
  } catch (error) {
    if (isForbidden(error)) {
      say('The web app is older than its sources, and dist/ cannot be written: what is there is served.')
      return 'left'
    }
    say(`The web app could not be built, so what is there is served: ${faultOf(error)}`)
    return 'failed'
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** The child process: runs Vite with the app's configuration. */
async function build(root: string, folder: string): Promise<void> {
  process.once('disconnect', () => process.exit(1)) // the parent has exited
  process.channel?.unref()
  const vite = await import('vite')
  const builds = [
    ['vite.config.ts', folder],
    ['vite.server.config.ts', path.join(folder, 'server')],
  ] as const
  for (const [file, outDir] of builds)
    await vite.build({
      configFile: path.join(root, 'web', file),
      logLevel: 'silent',
      build: { outDir, emptyOutDir: true },
    })
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..')
  const [flag, folder] = process.argv.slice(2)
  if (flag === '--into' && folder !== undefined) {
    await build(root, folder).catch((error: unknown) => {
      process.stderr.write(error instanceof Error ? error.message : String(error))
      process.exitCode = 1
    })
  } else {
    const say = (sentence: string) => process.stderr.write(`${sentence}\n`)
    const outcome = await buildWeb({ root, say })
    if (outcome === 'fresh') say('The web app is as new as its sources.')
    if (outcome === 'left') say('Nothing was built.')
    process.exitCode = outcome === 'failed' ? 1 : 0
  }
}
