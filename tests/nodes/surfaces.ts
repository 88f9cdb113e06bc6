// Runs the tests of both surfaces on three nodes behind nginx instead of one: node tests/nodes/surfaces.ts
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'

const tests = path.resolve(import.meta.dirname, '..')

/** Tests of the classic and the v2 surface. */
const folders = [
  'account-data',
  'account-routes',
  'admin',
  'auth',
  'events',
  'http',
  'images',
  'maps',
  'me',
  'metrics',
  'review',
  'site-settings',
  'trails',
]

/** Files about one node's own process. */
const ofOneNode: Readonly<Record<string, string>> = {
  'account-routes/cached-exports.slow.test.ts': 'follows what one node has cached, by what its answers cost',
  'auth/oauth/oauth-clock.own.test.ts': 'replaces the clock of its process',
  'auth/oauth/oauth-quiet.own.test.ts': 'listens to what its process warns of',
  'auth/secret-registry.test.ts': 'looks for secrets in the files of SQLite',
  'http/bodies/expect-continue.test.ts': 'nginx asks for the body itself',
  'images/list/lists-from-memory.test.ts': 'looks into the memory of the node that answers',
  'http/answers/front-under-way.test.ts': 'holds up one node',
  'http/answers/front.test.ts': 'looks into the memory of the node that answers',
  'images/view/views-from-memory.test.ts': 'looks into the memory of the node that answers',
  'http/logs/log-secrets.test.ts': 'sends what nginx refuses, and reads it in the log of one node',
  'http/logs/logs.test.ts': 'sends what nginx refuses, and reads it in the log of one node',
  'metrics/metrics-access.test.ts': 'nginx passes on no figures',
  'http/bodies/refused-bodies.test.ts': 'follows one connection, which ends at nginx',
  'images/view/view-cost.test.ts': 'looks into the memory of the node that answers',
  'http/bodies/size-limits.test.ts': 'nginx has limits of its own, below some of these',
}

/** Tests whose result differs, with the reason. */
export const otherwise: Readonly<Record<string, string>> = {
  'issue 20, 3: a long set costs by its bytes, is not built for HEAD, and an account reads four at once':
    'each node counts what it is sending itself',
  'C17 C18: an acknowledged response survives a crash that leaves only the files as they are then':
    'the files are PostgreSQL’s',
  'storage shows what is stored and how much room is left, only to admins who are signed in':
    'PostgreSQL’s disk is its own',
  'C1: a request line with an absolute URL is read like one with the path': 'nginx refuses * itself',
  'C31 C37: URLs that cannot be parsed are refused with a problem': 'nginx refuses them itself',
  'nothing else is': 'nginx refuses %00 itself',
  'C5: another method gets 405, before any credential is checked, and Allow lists the existing ones':
    'nginx refuses TRACE itself',
  'C5: an unknown method of HTTP is like any other method; an invalid method is not even a request':
    'nginx refuses them itself',
  'C14: after a refused upload the connection stays usable, however much of the body is outstanding':
    'the connection is nginx’s',
  'C14 C15: a false Content-Length stores nothing': 'nginx waits for what was announced',
  'C14: a client that disconnects during an upload leaves nothing':
    'the node hears of it a moment later, from nginx',
  'C27 C40: the headers of a file tell caches and robots who it is for': 'nginx names itself in Server',
  'the limit on an address counts over all accounts, before the check, and needs no hash':
    'the test chooses addresses, which nginx does not believe',
  'C18: a key is deleted by the hourly cleanup after 24 hours': 'of several nodes one sweeps, once an hour',
  'C39: application/json in every coding holds the same bytes, under an ETag of its own':
    'what is compressed already is kept by each node',
  'C39: application/xml in every coding holds the same bytes, under an ETag of its own':
    'what is compressed already is kept by each node',
  'a deleted account leaves no text in the bytes of the database file': 'the file is PostgreSQL’s',
  'is written no faster than it is read, one at a time, and ends when the client disconnects':
    'each node writes one at a time',
  'D4: check --audit reports the number of intact rows and the newest digest, and exits with 2 on damage':
    'the command is given a folder of SQLite',
  'a test delivery is sent at once, once, and reports its result': 'nginx passes on no figures',
  'the submitter gets events of their own images in every state; only the owner gets those of routes':
    'nodes deliver side by side, and the order of webhooks is no promise',
}

export interface Walk {
  readonly passed: number
  /** Names of failed tests. */
  readonly failed: readonly string[]
  /** Names of all tests that ran. */
  readonly ran: ReadonlySet<string>
  readonly said: string
}

/** Paths below tests/ of all files that run on several nodes. */
export const surfaceFiles = (): string[] =>
  folders
    .flatMap((folder) =>
      readdirSync(path.join(tests, folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file.replaceAll(path.sep, '/')}`,
      ),
    )
    .filter((file) => /(?<!\.slow|\.own)\.test\.ts$/.test(file) && !(file in ofOneNode))
    .toSorted()

/** A failure in TAP, except a parent of failed tests. */
const failure = /^ *not ok \d+ - (.*)\n *---\n((?:.*\n)*?) *\.\.\.$/gm

const nameIn = ([, name = '']: readonly string[]): string => name.replaceAll('\\#', '#')

export async function walkSurfaces(files: readonly string[]): Promise<Walk> {
  const words = ['--nodes', '3', '--test-reporter=tap', '--test-concurrency=2']
  const program = [
    path.join(tests, 'on-postgres.ts'),
    ...words,
    ...files.map((file) => path.join(tests, file)),
  ]
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined }, // a separate run, even if started by a test
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
  const failed = [...said.matchAll(failure)]
    .filter(([, , about = '']) => !about.includes("failureType: 'subtestsFailed'"))
    .map(nameIn)
  const ran = new Set([...said.matchAll(/^ *(?:not )?ok \d+ - (.*)$/gm)].map(nameIn))
  return { passed: Number(/^# pass (\d+)$/m.exec(said)?.[1] ?? 0), failed, ran, said }
}

if (import.meta.main) {
  const { passed, failed, ran, said } = await walkSurfaces(surfaceFiles())
  const surprises = failed.filter((name) => !(name in otherwise))
  process.stdout.write(
    `${passed} passed; ${failed.length - surprises.length} came out otherwise, as they may.\n`,
  )
  // They passed by chance, or their reason no longer applies. The person who runs this decides which.
  const alike = Object.keys(otherwise).filter((name) => ran.has(name) && !failed.includes(name))
  if (alike.length > 0)
    process.stdout.write(`These came out as of one node this time:\n${alike.join('\n')}\n`)
  const gone = Object.keys(otherwise).filter((name) => !ran.has(name))
  if (gone.length > 0) {
    process.stdout.write(`These are listed and are no tests any more:\n${gone.join('\n')}\n`)
    process.exitCode = 1
  }
  if (surprises.length > 0 || passed === 0) {
    const reasons = [...said.matchAll(failure)].filter((found) => surprises.includes(nameIn(found)))
    process.stdout.write(`${reasons.map(([reason]) => reason).join('\n')}\n`)
    process.stdout.write(`These should have passed:\n${surprises.join('\n')}\n`)
    process.exitCode = 1
  }
}
