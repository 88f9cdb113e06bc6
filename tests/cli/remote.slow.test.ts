// The commands that use a server over HTTP: device login, upload with its report, routes, review.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { run, startChild, type Ran } from './run-waymark.ts'
import { newFolder } from '../helpers/folders.ts'
import { typeDeviceCode } from '../helpers/oauth-people.ts'
import { startOauthSite } from '../helpers/oauth-site.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addMember } from '../helpers/visitor.ts'

const gpx = `<gpx version="1.1" creator="me"><rte><name>Over the ridge</name><rtept lat="46.94" lon="7.44"/><rtept lat="46.96" lon="7.44"/></rte></gpx>`

async function begin(t: TestContext) {
  const site = await startOauthSite(t)
  const { waymark } = site
  const folder = await newFolder(t)
  const member = await waymark.addPerson()
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  await waymark.addTrail(4711, 'Rim Trail')
  const settings = { XDG_CONFIG_HOME: path.join(folder, 'config'), WAYMARK_URL: site.url }
  const as = (token: string | undefined, ...args: string[]): Promise<Ran> =>
    run(args, {
      dataDir: folder,
      settings: { ...settings, ...(token !== undefined && { WAYMARK_TOKEN: token }) },
    })
  return { site, waymark, folder, member, reviewer, settings, as }
}

void test('login waits for the person, stores tokens that only they can read, and logout revokes them', async (t) => {
  const { site, waymark, folder, settings, as } = await begin(t)
  await waymark.addPerson({ role: 'admin' }) // the owner of the command line's client
  const child = startChild(['login'], { dataDir: folder, settings })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  while (!/the code [A-Z]{4}-[A-Z]{4}/.test(said)) await once(child.stderr, 'data')
  const person = await addMember(waymark)
  await typeDeviceCode(person, /the code ([A-Z-]{9})/.exec(said)?.[1] ?? '')
  const [exitCode] = (await once(child, 'close')) as [number]
  assert.equal(exitCode, 0, said)
  const kept = path.join(folder, 'config/waymark/logins.json')
  assert.equal((await stat(kept)).mode & 0o777, 0o600)
  const own = await as(undefined, 'routes', 'export')
  assert.deepEqual([own.exitCode, own.stdout], [0, '0 routes written.\n'])
  assert.match((await as(undefined, 'logout')).stdout, /^Signed out/)
  assert.doesNotMatch(await readFile(kept, 'utf8'), /accessToken/)
  const after = await as(undefined, 'review')
  assert.deepEqual(
    [after.exitCode, after.stderr],
    [3, `You are not signed in to ${site.url}: run "waymark login --url ${site.url}".\n`],
  )
  // A token in the environment is for the server in WAYMARK_URL.
  const elsewhere = await as(person.email, 'review', '--url', 'http://127.0.0.1:9')
  assert.equal(elsewhere.exitCode, 3)
  assert.match(
    elsewhere.stderr,
    /^You are not signed in to http:\/\/127\.0\.0\.1:9: .* WAYMARK_URL is http:.*, so the credentials for it are not sent/,
  )
})

void test('C14 C15 C18: upload reports the result for every file, and a second run uploads nothing twice', async (t) => {
  const { waymark, folder, member, as } = await begin(t)
  const photos = path.join(folder, 'photos')
  await mkdir(path.join(photos, 'deeper'), { recursive: true })
  const first = await jpegPicture({ seed: 1 })
  await writeFile(path.join(photos, 'one.jpg'), first)
  await writeFile(path.join(photos, 'two.JPEG'), await jpegPicture({ seed: 2 }))
  await writeFile(path.join(photos, 'notes.txt'), 'no photo')
  await writeFile(path.join(photos, 'broken.jpg'), first.subarray(0, first.length / 2))
  await writeFile(path.join(photos, 'large.jpg'), Buffer.alloc(8_388_609, 0xff))
  await writeFile(path.join(photos, 'deeper', 'three.jpg'), await jpegPicture({ seed: 3 }))
  const report = path.join(folder, 'report.json')
  const upload = (...more: string[]) =>
    as(member.token, 'upload', photos, '--trail', '4711', '--recursive', '--caption', 'By hand', ...more)
  const statuses = async () => {
    const { files } = JSON.parse(await readFile(report, 'utf8')) as {
      files: { file: string; status: string; reason?: string; checked?: boolean }[]
    }
    return Object.fromEntries(files.map(({ file, status }) => [path.basename(file), status]))
  }

  const dry = await upload('--dry-run')
  assert.match(dry.stdout, /6 files: 4 would be uploaded, 1 skipped, 1 refused/)
  const sent = await upload('--report', report, '--check')
  assert.equal(sent.exitCode, 2)
  assert.match(sent.stdout, /6 files: 3 uploaded, 1 skipped, 2 refused/)
  assert.match(sent.stderr, /large\.jpg: refused\. It is larger than this server accepts \(8,388,608 bytes\)/)
  assert.deepEqual(await statuses(), {
    'broken.jpg': 'refused',
    'three.jpg': 'sent',
    'large.jpg': 'refused',
    'notes.txt': 'skipped',
    'one.jpg': 'sent',
    'two.JPEG': 'sent',
  })
  const again = await upload('--report', report, '--resume')
  assert.match(again.stdout, /6 files: 3 already uploaded, 1 skipped, 2 refused/)
  const lines = (await as(member.token, '--json', 'upload', photos, '--trail', '4711')).stdout
    .trim()
    .split('\n')
  assert.equal(lines.length, 6) // subfolders are reported too
  const { items } = (await (await waymark.fetch('/v2/images', { token: member.token })).json()) as {
    items: { caption: string }[]
  }
  assert.deepEqual(
    items.map(({ caption }) => caption),
    ['By hand', 'By hand', 'By hand'],
  )
})

void test('upload refuses in one sentence: an unknown trail, a wrong token, an unreachable server', async (t) => {
  const { folder, member, as } = await begin(t)
  const file = path.join(folder, 'one.jpg')
  await writeFile(file, await jpegPicture({ seed: 1 }))
  const cases = [
    [member.token, ['--trail', '9'], 2, 'Invalid Trail ID: There is no trail with this ID.\n'],
    ['wrong', ['--trail', '4711'], 3, 'The access token is not known here. Sign in with "waymark login".\n'],
    [
      member.token,
      ['--trail', '4711', '--url', 'ftp://x'],
      1,
      "--url must be a server URL, such as https://trails.example, not 'ftp://x'.\n",
    ],
    [
      member.token,
      ['--trail', '4711', '--resume'],
      1,
      '--resume requires the report of the previous run: --report FILE.\n',
    ],
  ] as const
  for (const [token, args, exitCode, stderr] of cases) {
    const ran = await as(token, 'upload', file, ...args)
    assert.deepEqual([ran.exitCode, ran.stderr], [exitCode, stderr])
  }
  const settings = { WAYMARK_URL: 'http://127.0.0.1:9', WAYMARK_TOKEN: member.token }
  const gone = await run(['upload', file, '--trail', '4711'], { dataDir: folder, settings })
  assert.equal(gone.exitCode, 2)
  assert.match(gone.stderr, /^The server cannot be reached \(.*\)\. Check the URL and the connection\.\n$/)
})

void test('routes are uploaded as GPX and downloaded again; a file that is not GPX is reported', async (t) => {
  const { folder, member, as } = await begin(t)
  const [good, bad] = [path.join(folder, 'good.gpx'), path.join(folder, 'bad.gpx')]
  await writeFile(good, gpx)
  await writeFile(bad, '<gpx>')
  const imported = await as(member.token, 'routes', 'import', good, bad)
  assert.equal(imported.exitCode, 2)
  assert.match(
    imported.stdout,
    /good\.gpx: route \d+, Over the ridge\n.*bad\.gpx: refused\. .*\n1 route created, 1 refused\.\n$/,
  )
  const to = path.join(folder, 'out')
  assert.equal((await as(member.token, 'routes', 'export', '--to', to)).exitCode, 0)
  const [name = ''] = await readdir(to)
  assert.match(name, /^Over-the-ridge-\d+\.gpx$/)
  assert.match(await readFile(path.join(to, name), 'utf8'), /lat="46\.94"/)
})

void test('review lists the queue, decides on photos by their IDs, and reports what was refused', async (t) => {
  const { waymark, member, reviewer, as } = await begin(t)
  const imageId = await waymark.upload(member, 4711, await jpegPicture({ seed: 1 }))
  const listed = await as(reviewer.token, 'review')
  assert.match(listed.stdout, new RegExp(`${imageId} +pending +Rim Trail.*\n1 photo in the queue\\.`))
  const decided = await as(reviewer.token, 'review', 'reject', String(imageId), '--reason', 'blurred')
  assert.deepEqual([decided.exitCode, decided.stdout], [0, `${imageId}: rejected\n`])
  const twice = await as(reviewer.token, 'review', 'reject', String(imageId))
  assert.equal(twice.exitCode, 2)
  assert.match(twice.stdout, /refused\. /)
  const member403 = await as(member.token, 'review')
  assert.deepEqual(
    [member403.exitCode, member403.stderr],
    [2, 'Forbidden: Only reviewers and admins may review.\n'],
  )
})
