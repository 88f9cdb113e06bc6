// `nginx -t` for every configuration that we ship or print, on Debian and as in the official image: with the users and
// main file of each, and without what only the other has.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { certificateFor } from '../helpers/certificate.ts'
import { whyMissing, whyNoBubblewrap } from '../helpers/tools.ts'
import { filesOf, read } from './files.ts'

const run = promisify(execFile)

interface Place {
  readonly name: string
  /** Lines of /etc/passwd and /etc/group besides those of every Debian. */
  readonly user?: string
  readonly group?: string
  /** The main file that includes conf.d; Debian's is installed here. */
  readonly main?: string
  /** Folders created by the packages. */
  readonly folders: readonly string[]
}

const places: readonly Place[] = [
  { name: 'Debian', folders: ['/var/cache', '/var/lib/nginx', '/var/log/nginx', '/run'] },
  {
    name: 'the official image',
    user: 'nginx:x:101:101:nginx user:/nonexistent:/bin/false\n',
    group: 'nginx:x:101:\n',
    main: `user nginx;
      error_log /var/log/nginx/error.log notice;
      pid /run/nginx.pid;
      events {}
      http { include /etc/nginx/mime.types; sendfile on; keepalive_timeout 65; include /etc/nginx/conf.d/*.conf; }`,
    folders: ['/var/cache', '/var/cache/nginx', '/var/lib/nginx', '/var/log/nginx', '/run'],
  },
]

interface Configuration {
  readonly name: string
  readonly text: string
  /** Whether it is a complete nginx.conf, and so runs where only /tmp is writable. */
  readonly isMain: boolean
}

/** Files of deploy/, and blocks of the guides. */
async function configurations(): Promise<Configuration[]> {
  const shipped = (await filesOf('deploy')).filter((file) => /nginx[^/]*\.conf$/.test(file))
  const guides = ['README.md', ...(await filesOf('docs')).filter((file) => /^docs\/[^/]*\.md$/.test(file))]
  const [ofDeploy, ofGuides] = await Promise.all([
    Promise.all(shipped.map(async (name) => ({ name, text: await read(name) }))),
    Promise.all(guides.map(async (name) => ({ name, text: await read(name) }))),
  ])
  const printed = ofGuides.flatMap(({ name, text }) =>
    [...text.matchAll(/```nginx\n([\s\S]*?)```/g)].map(([, block = ''], at) => ({
      name: `block ${at + 1} of ${name}`,
      text: block,
    })),
  )
  return [...ofDeploy, ...printed].map(({ name, text }) => ({
    name,
    text,
    isMain: /^events \{/m.test(text),
  }))
}

/** This machine, with only /tmp writable and only loopback. */
const system = [
  '--ro-bind / / --dev /dev --proc /proc --unshare-net --tmpfs /tmp --tmpfs /etc/ssl',
  '--setenv PATH /usr/sbin:/usr/bin',
].flatMap((words) => words.split(' '))
const whoAreOurs = /^(?:nginx|waymark):.*\n/gm

/** Debian's own site listens on IPv6, which is an error where the kernel has none. */
async function listenWithoutIpv6(site: string): Promise<void> {
  const text = await readFile(site, 'utf8').catch(() => undefined)
  if (text !== undefined) await writeFile(site, text.replaceAll(/^\s*listen \[::\].*\n/gm, ''))
}

/** Output of `nginx -t`; rejects if it fails. */
async function checked(folder: string, place: Place, { text, isMain }: Configuration): Promise<string> {
  const etc = await mkdtemp(path.join(folder, 'etc-'))
  const nginx = path.join(etc, 'nginx')
  await cp('/etc/nginx', nginx, { recursive: true, verbatimSymlinks: true })
  await mkdir(path.join(nginx, 'conf.d'), { recursive: true })
  if (!existsSync('/proc/net/if_inet6')) await listenWithoutIpv6(path.join(nginx, 'sites-available/default'))
  if (place.main !== undefined) {
    await writeFile(path.join(nginx, 'nginx.conf'), place.main)
    await rm(path.join(nginx, 'modules-enabled'), { recursive: true, force: true })
  }
  await writeFile(path.join(nginx, isMain ? 'nginx.conf' : 'conf.d/waymark.conf'), text)
  const binds: string[] = ['--ro-bind', nginx, '/etc/nginx']
  for (const [name, more = ''] of [
    ['passwd', place.user],
    ['group', place.group],
  ] as const) {
    const theirs = (await readFile(`/etc/${name}`, 'utf8')).replaceAll(whoAreOurs, '')
    await writeFile(path.join(etc, name), theirs + more)
    binds.push('--ro-bind', path.join(etc, name), `/etc/${name}`)
  }
  // nginx resolves its upstreams' names.
  await writeFile(path.join(etc, 'hosts'), '127.0.0.1 localhost node1 node2 node3\n')
  binds.push('--ro-bind', path.join(etc, 'hosts'), '/etc/hosts')
  for (const file of text.matchAll(/ssl_certificate(?:_key)? (\/etc\/ssl\/)(\S+);/g))
    binds.push('--ro-bind', path.join(folder, 'certificate.pem'), path.posix.join('/etc/ssl', file[2] ?? ''))
  const writable = isMain ? [] : place.folders.flatMap((name) => ['--tmpfs', name])
  const inside = 'nginx -t > /tmp/said 2>&1; code=$?; cat /tmp/said >&2; exit $code'
  const { stderr } = await run('bwrap', [...system, ...writable, ...binds, 'sh', '-c', inside])
  return stderr
}

void describe('nginx -t', { skip: whyMissing('nginx') || whyNoBubblewrap() }, () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waymark-nginx-t-'))
    const { cert, key } = certificateFor('photos.trails.example')
    // Certificate and key in one file, for every line that names one.
    const pem = cert + key.export({ type: 'pkcs8', format: 'pem' })
    await writeFile(path.join(folder, 'certificate.pem'), pem)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const place of places) {
    void test(`passes ${place.name === 'Debian' ? 'on' : 'as in'} ${place.name}, without a warning`, async () => {
      const all = await configurations()
      assert.ok(all.length >= 4, 'two files and two blocks')
      for (const configuration of all) {
        const said = await checked(folder, place, configuration).catch(
          (error: Error & { stderr?: string }) => error.stderr ?? error.message,
        )
        assert.match(said, /test is successful/, `${configuration.name}: ${said}`)
        assert.doesNotMatch(said, /\[warn\]/, configuration.name)
      }
    })

    void test(`fails ${place.name === 'Debian' ? 'on' : 'as in'} ${place.name} if its user does not exist`, async () => {
      const text = `user nobody-there;\n${await read('deploy/nginx.conf')}`
      const broken = checked(folder, place, { name: 'broken', text, isMain: true })
      await assert.rejects(broken, /getpwnam\("nobody-there"\) failed/)
    })
  }
})
