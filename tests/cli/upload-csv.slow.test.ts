// waymark upload --csv and folders: each photo has its own details, and each wrong line one sentence.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { createTerms } from '../../src/site-settings/terms.ts'
import { newFolder } from '../helpers/folders.ts'
import { pngPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { run } from './run-waymark.ts'

interface Listed {
  readonly title: string
  readonly caption: string
  readonly lat: number | null
  readonly lon: number | null
  readonly takenAt: string | null
  readonly licence: string | null
}

async function begin(t: TestContext, names: readonly string[]) {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  const folder = await newFolder(t)
  const { token } = await waymark.addPerson()
  await waymark.addTrail(4711, 'Rim Trail')
  for (const [at, name] of names.entries()) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, await pngPicture({ seed: at + 1, width: 20 + at, height: 20 }))
  }
  const settings = { WAYMARK_URL: waymark.url, WAYMARK_TOKEN: token }
  const csv = path.join(folder, 'list.csv')
  return {
    waymark,
    folder,
    csv,
    upload: (...more: string[]) => run(['upload', '--trail', '4711', ...more], { dataDir: folder, settings }),
    uploadList: async (text: string | Uint8Array, ...more: string[]) => {
      await writeFile(csv, text)
      return run(['upload', '--trail', '4711', '--csv', csv, ...more], { dataDir: folder, settings })
    },
    images: async () => {
      const answer = await waymark.fetch('/v2/images?limit=500', { token })
      const { items } = (await answer.json()) as { items: Listed[] }
      return items.toSorted((one, other) => one.title.localeCompare(other.title))
    },
  }
}

void test('each photo gets its own details, with columns in any order, and the options where a cell is empty', async (t) => {
  const { uploadList, images } = await begin(t, ['a.png', 'deep/b.png', 'c.png'])
  const { exitCode, stdout } = await uploadList(
    '\uFEFFcaption,FILE,lon,lat,time,title\r\n' +
      '"Seen, from above",a.png,7.25,46.5,2026-05-14 09:08:07+02:00,Bridge\r\n' +
      '\r\n' +
      '\'=1+1,deep/b.png,,,,"A ""quote"""\r\n' +
      ',c.png,,,2026-05-14T07:00:00Z,\r\n',
    '--title',
    'Untitled',
    '--caption',
    'By hand',
  )
  assert.equal(exitCode, 0)
  assert.match(stdout, /3 files: 3 uploaded/)
  assert.deepEqual(
    (await images()).map(({ title, caption, lat, lon, takenAt }) => [title, caption, lat, lon, takenAt]),
    [
      ['A "quote"', '=1+1', null, null, null],
      ['Bridge', 'Seen, from above', 46.5, 7.25, '2026-05-14T09:08:07+02:00'],
      ['Untitled', 'By hand', null, null, '2026-05-14T07:00:00+00:00'],
    ],
  )
})

void test('every invalid line has its sentence, and the others are uploaded', async (t) => {
  const { uploadList, images, csv } = await begin(t, ['a.png', 'b.png'])
  const wrong: readonly [line: string, sentence: RegExp][] = [
    [',no file,,,,', /: the column file is empty\.$/],
    ['b.png,x,91,7,,', /: lat must be from -90 to 90|: .*lat.*90/],
    ['b.png,x,46.5,,,', /: lat and lon must both be given, or neither\.$/],
    ['b.png,x,north,7,,', /: .*lat/],
    ['b.png,x,0,0,,', /: lat and lon are both 0: leave both empty if the position is unknown\.$/],
    ['b.png,x,,,yesterday,', /: time must be a timestamp with an offset from UTC, such as /],
    ['b.png,x,,,2026-02-30T10:00:00Z,', /: time must be a timestamp/],
    ['b.png,x,,,2026-05-14T10:00:00,', /: time must be a timestamp with an offset/],
    [`b.png,${'x'.repeat(257)},,,,`, /: .*title.*256/],
    ['a.png,twice,,,,', /: the file is listed on line 2 too\.$/],
    ['b.png,x,,,,,more', /: the line has 7 fields, but the header has 6\.$/],
    ['c.png,x,,,,CC0-1.0', /: licence is CC0-1\.0, but this site has no photo licence\.$/],
    ['gone.png,x,,,,', /gone\.png: refused\. It cannot be read: no such file or directory\.$/],
  ]
  const header = 'file,title,lat,lon,time,licence\n'
  const text = `${header}a.png,Good,46.5,7.25,2026-05-14T09:08:07+02:00,\n${wrong.map(([line]) => line).join('\n')}\n`
  const { exitCode, stdout, stderr } = await uploadList(text)
  assert.equal(exitCode, 2)
  const reported = stdout.split('\n').filter((line) => line.includes(': refused. '))
  assert.equal(reported.length, wrong.length, stdout)
  for (const [at, [line, sentence]] of wrong.entries()) {
    assert.match(reported[at] ?? '', sentence, line)
    if (!line.startsWith('gone')) assert.match(reported[at] ?? '', new RegExp(`Line ${at + 3} of ${csv}: `))
    assert.ok(stderr.includes(`${reported[at]}\n`), 'also at its place among the others')
  }
  assert.match(stdout, /14 files: 1 uploaded, 13 refused/)
  assert.deepEqual(
    (await images()).map(({ title }) => title),
    ['Good'],
  )
})

void test(
  'a pipe or a folder in the list is refused without waiting for it',
  { timeout: 60_000 },
  async (t) => {
    const { uploadList, folder } = await begin(t, ['a.png', 'deep/b.png'])
    execFileSync('mkfifo', [path.join(folder, 'pipe.png')])
    const { exitCode, stdout } = await uploadList('file\npipe.png\na.png\ndeep\n')
    assert.equal(exitCode, 2)
    for (const name of ['pipe.png', 'deep'])
      assert.ok(stdout.includes(`${path.join(folder, name)}: refused. It is not a regular file.\n`), stdout)
    assert.match(stdout, /3 files: 1 uploaded, 2 refused/)
  },
)

void test('an invalid list is refused in a sentence before anything is uploaded', async (t) => {
  const { uploadList, upload, images, csv, folder } = await begin(t, ['a.png'])
  const cases: readonly [text: string | Uint8Array, sentence: string][] = [
    [
      'file,title,Colour,size\na.png,x,y,z\n',
      `${csv} has unknown columns: 'Colour', 'size'. The columns are file, title, caption, lat, lon, time, licence.`,
    ],
    ['file,title,Title\na.png,x,y\n', `${csv} has the column title twice.`],
    ['title,caption\nx,y\n', `${csv} has no column 'file': its first line must name the columns.`],
    ['', `${csv} has no column 'file': its first line must name the columns.`],
    ['file,title\na.png,"x\n', `${csv} cannot be read as CSV: line 2: a quoted field is not closed.`],
    [Buffer.from('file,title\na.png,\xe4\n', 'latin1'), `${csv} is not UTF-8 text: save it as CSV in UTF-8.`],
  ]
  for (const [text, sentence] of cases) {
    const ran = await uploadList(text)
    assert.deepEqual([ran.exitCode, ran.stderr], [2, `${sentence}\n`])
  }
  const usage: readonly [args: readonly string[], sentence: string][] = [
    [[], 'No photos given: name files or folders, or a list with --csv.'],
    [[folder, '--csv', csv], '--csv names the photos in its column file: give no other files or folders.'],
    [[folder, '--max-wait', 'long'], '--max-wait must be a number of seconds, at most 604800.'],
  ]
  for (const [args, sentence] of usage) {
    const ran = await upload(...args)
    assert.deepEqual([ran.exitCode, ran.stderr], [1, `${sentence}\n`])
  }
  const missing = await upload('--csv', path.join(folder, 'gone.csv'))
  assert.deepEqual(
    [missing.exitCode, missing.stderr.includes('gone.csv cannot be used: no such file')],
    [2, true],
  )
  assert.deepEqual(await images(), [])
})

void test('semicolons and tabs of spreadsheets are read, and the licence must be the one of the site', async (t) => {
  const { waymark, uploadList, images } = await begin(t, ['a.png', 'b.png', 'c.png'])
  const { db } = waymark.installation.database
  const licence = { code: 'CC-BY-4.0', name: 'Creative Commons Attribution 4.0' }
  const terms = createTerms({ db, now: () => waymark.system.now() })
  await terms.choose(byCommand, { licence, terms: null }, () => undefined)
  const { exitCode, stdout } = await uploadList(
    'file;title;licence\na.png;One;CC-BY-4.0\nb.png;Two;CC-BY-SA-4.0\n',
  )
  assert.equal(exitCode, 2)
  assert.match(
    stdout,
    /b\.png: refused\. Line 3 of .*: licence is CC-BY-SA-4\.0, but this site publishes photos under CC-BY-4\.0\.\n/,
  )
  assert.equal((await uploadList('file\ttitle\nc.png\tThree; or, so\n')).exitCode, 0)
  assert.deepEqual(
    (await images()).map(({ title, licence }) => [title, licence]),
    [
      ['One', 'CC-BY-4.0'],
      ['Three; or, so', 'CC-BY-4.0'],
    ],
  )
})

void test('folders are read with their subfolders in a stable order, without hidden files', async (t) => {
  const names = ['b.png', 'a.png', 'z/y.png', 'a/c.PNG', '.hidden.png', '.trash/d.png', '@eaDir.png']
  const { upload, folder } = await begin(
    t,
    names.map((name) => `photos/${name}`),
  )
  const photos = path.join(folder, 'photos')
  await writeFile(path.join(photos, 'notes.txt'), 'none')
  const listed = async (...more: string[]): Promise<string[]> => {
    const { stdout } = await upload(photos, '--json', '--dry-run', ...more)
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; status: string })
      .map(({ file, status }) => `${path.relative(photos, file)} ${status}`)
  }
  assert.deepEqual(await listed('--concurrency', '1'), [
    '@eaDir.png would-send',
    'a/c.PNG would-send',
    'a.png would-send',
    'b.png would-send',
    'notes.txt skipped',
    'z/y.png would-send',
  ])
  assert.deepEqual(
    (await listed('--concurrency', '1', '--no-recursive')).filter((line) => /^[az] /.test(line)),
    ['a skipped', 'z skipped'],
  )
  assert.equal((await listed('--recursive')).length, 6)
})

void test('two files with the same bytes are one photo, and --no-resume uploads a photo again', async (t) => {
  const { upload, folder, images } = await begin(t, ['photos/a.png'])
  const photos = path.join(folder, 'photos')
  await writeFile(path.join(photos, 'b.png'), await pngPicture({ seed: 1, width: 20, height: 20 }))
  const first = await upload(photos)
  assert.match(
    first.stderr,
    /([ab])\.png: already uploaded as image \d+\. It is the same photo as .*(?!\1)[ab]\.png\.\n/,
  )
  assert.match(first.stdout, /2 files: 1 uploaded, 1 already uploaded/)
  assert.match((await upload(photos)).stdout, /2 files: 2 already uploaded/)
  assert.equal((await images()).length, 1)
  assert.match((await upload(photos, '--no-resume')).stdout, /2 files: 1 uploaded, 1 already uploaded/)
  assert.equal((await images()).length, 2)
})

void test('rows of only delimiters are empty rows, and are skipped', async (t) => {
  const { uploadList, images } = await begin(t, ['a.png', 'b.png'])
  const list =
    ';;;\r\nfile;title;caption;lat\r\na.png;One;;\r\n;;;\r\n  ; ;;""\r\nb.png;Two;;\r\n;;;\r\n;;;\r\n'
  const { exitCode, stderr, stdout } = await uploadList(list)
  assert.deepEqual([exitCode, stderr.includes('refused')], [0, false], stdout)
  assert.deepEqual(
    (await images()).map(({ title }) => title),
    ['One', 'Two'],
  )
  // A row with details but no file is wrong.
  const wrong = await uploadList(`${list};Three;;\r\n`)
  assert.equal(wrong.exitCode, 2)
  assert.match(wrong.stdout + wrong.stderr, /Line 9 of .*: the column file is empty\./)
})
