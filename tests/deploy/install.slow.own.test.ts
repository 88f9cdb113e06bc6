// Follows docs/install.md literally in a new Debian: every command of its blocks runs as written, in order, with data of
// version 0.1.0 (created by that version: tests/deploy/data), under a real systemd. The network is cut off once the packages
// are installed.
//
// Over 300 lines because it is one sequence: each step needs the machine as the previous step left it.
//
// Not real: the URL of the apt repository, and the next version (tests/deploy/versions.ts).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { commandsOf, startDebian, unpack, whyNoDebian, type Debian } from './debian.ts'
import { read, root } from './files.ts'
import { runbookCommands } from './runbook-commands.ts'
import { makeVersions, type Versions } from './versions.ts'

const { version } = packageFile
const next = '0.3.0'
const maxCommands = 40
/** In the data of version 0.1.0. */
const photo = 938972618888198

interface DoctorReport {
  readonly checks: readonly { readonly name: string; readonly detail: string }[]
}

const page = await read('docs/install.md')
const sections = commandsOf(page)
const commandsIn = (heading: string): readonly string[] =>
  sections.find((section) => section.heading === heading)?.commands ?? assert.fail(`no section ${heading}`)

void test(`the guide needs at most ${maxCommands} commands, and names this version`, () => {
  const onServer = sections.flatMap(({ commands }) => commands)
  const onCheckout = [...page.matchAll(/`npm ci && npm run package`/g)].flatMap(() => [
    'npm ci',
    'npm run package',
  ])
  assert.ok(onServer.length > 30 && onCheckout.length === 2)
  assert.ok(onServer.length + onCheckout.length <= maxCommands, `${onServer.length + onCheckout.length}`)
  assert.ok(page.includes(`waymark_${version}_amd64.deb`) && page.includes(`waymark_${next}_amd64.deb`))
})

void describe('docs/install.md', { skip: whyNoDebian(), timeout: 3_600_000 }, () => {
  let debian: Debian
  let versions: Versions

  before(async () => {
    debian = await startDebian('trixie', async (home) => {
      versions = await makeVersions(home, version, next)
      return versions.present
    })
    const data = path.join(debian.folder, 'srv/waymark/data')
    await mkdir(data, { recursive: true })
    unpack(path.join(root, 'tests/deploy/data/data-0.1.0.tar.gz'), data)
    // The archive has no secret and nothing encrypted: its content is public.
    await writeFile(path.join(data, 'secret'), `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  })
  after(() => debian?.close())

  /** @returns its output. */
  async function ok(line: string): Promise<string> {
    const { code, stdout, stderr } = await debian.sh(line)
    const log = code === 0 ? '' : (await debian.sh('journalctl -u waymark -o cat -n 8')).stdout
    assert.equal(code, 0, `${line}\n${stdout}${stderr}${log}`)
    return stdout
  }

  async function follow(heading: string): Promise<string[]> {
    const said: string[] = []
    for (const command of commandsIn(heading)) said.push(await ok(command))
    return said
  }

  const answering = (url: string): Promise<string> =>
    ok(`curl --silent --show-error --fail --retry 180 --retry-connrefused --retry-delay 1 '${url}'`)
  const servesPhoto = () =>
    ok(`curl -sS --fail -o /dev/null 'http://127.0.0.1:8080/ImageHandler?id=${photo}&t=sm'`)
  const versionServed = async (): Promise<string> =>
    /"version":"([^"]+)"/.exec(await answering('http://127.0.0.1:8080/v2/site'))?.[1] ?? ''

  /** @returns doctor's output about scheduled backups, once it matches. */
  async function untilBackup(expected: RegExp): Promise<string> {
    for (const latest = performance.now() + 300_000; ;) {
      const { stdout } = await debian.sh('waymark doctor --all --json')
      const { checks } = JSON.parse(stdout) as DoctorReport
      const { detail } = checks.find(({ name }) => name === 'backup') ?? assert.fail(stdout)
      if (expected.test(detail)) return detail
      assert.ok(performance.now() < latest, detail)
    }
  }

  void test('Install: user, folders, service and command exist, without npm, and nothing is readable by others', async () => {
    await follow('Install')
    await answering('http://127.0.0.1:8080/health/ready')
    assert.equal(await ok('command -v npm node || echo none'), 'none\n')
    assert.equal(
      await ok('stat -c "%U:%G %a" /var/lib/waymark /etc/waymark/waymark.env /opt/waymark'),
      'waymark:waymark 750\nroot:waymark 640\nroot:root 755\n',
    )
    assert.equal(await ok('stat -c "%U %a" /var/lib/waymark/secret'), 'waymark 600\n')
    assert.equal(await ok('systemctl is-enabled waymark'), 'enabled\n')
    assert.equal(await ok('waymark --version'), `${version}\n`)
    assert.match(await answering('http://127.0.0.1:8080/'), /<script/, 'the web app')
    assert.doesNotMatch(await ok('journalctl -u waymark -o cat'), /web app/i, 'nothing is built')
  })

  void test('Move existing data in: data of version 0.1.0 is upgraded, and its photo is shown', async () => {
    const said = await follow('Move existing data in')
    assert.match(said.at(-1) ?? '', /Everything is complete and intact/)
    await answering('http://127.0.0.1:8080/health/ready')
    await servesPhoto()
  })

  void test('TLS: the site responds over HTTPS, redirects to it, and accepts what Waymark accepts', async () => {
    await follow('TLS')
    const curl =
      'curl -sS --cacert /etc/ssl/waymark/certificate.pem --resolve photos.trails.example:443:127.0.0.1 --resolve photos.trails.example:80:127.0.0.1'
    const reported = (more: string) => ok(`${curl} -o /tmp/answer -w '%{http_code} %{redirect_url}' ${more}`)
    assert.equal(
      await reported('http://photos.trails.example/t/rim-trail'),
      '301 https://photos.trails.example/t/rim-trail',
    )
    assert.equal((await reported('https://photos.trails.example/metrics')).trim(), '404')
    await ok('head -c 20000000 /dev/zero > /tmp/big')
    assert.match(
      await reported(
        '-X POST -H "Content-Type: application/gpx+xml" --data-binary @/tmp/big https://photos.trails.example/v2/routes/import',
      ),
      /^(?!413)4\d\d /,
    )
  })

  void test('The first admin: the link works', async () => {
    const [said = ''] = await follow('The first admin')
    const link = /https:\/\/photos\.trails\.example(\/join\/\S+)/.exec(said)?.[1]
    assert.ok(link !== undefined, said)
    assert.match(await answering(`http://127.0.0.1:8080${link}`), /<form/)
  })

  void test('Nightly backup: the three lines in the guide are set, and there is a backup that only its owner can read', async () => {
    const lines = /```\n(BACKUP_[\s\S]*?)```/.exec(page)?.[1]
    await follow('Nightly backup')
    assert.equal(await ok("grep '^BACKUP_' /etc/waymark/waymark.env"), lines)
    assert.equal(
      await ok('stat -c "%U %a %n" /var/backups/waymark/*'),
      'waymark 600 /var/backups/waymark/first.zip\n',
    )
    await untilBackup(/No backup has been made yet\. The next one is due at \S+ 03:15/)
  })

  void test('Restore drill: it checks every file, and changes nothing of the running site', async () => {
    const said = await follow('Restore drill')
    const drilled =
      /^Restored and checked \/var\/backups\/waymark\/first\.zip .*: 1 image in 1 file, .*\nThe secret is in the backup and fits\./
    assert.match(said[0] ?? '', drilled)
    assert.match(said[2] ?? '', drilled)
    assert.match(said[3] ?? '', /^-rw------- 1 waymark waymark .* secret$/m)
    await servesPhoto()
  })

  void test('scheduled backups can be restored, and the drill finds the newest', async () => {
    const schedule = async (expression: string): Promise<void> => {
      await ok(`sed -i 's|^BACKUP_SCHEDULE=.*|BACKUP_SCHEDULE=${expression}|' /etc/waymark/waymark.env`)
      await ok('systemctl restart waymark')
      await answering('http://127.0.0.1:8080/health/ready')
    }
    await schedule('* * * * *')
    await untilBackup(/The last backup was made/)
    await schedule('15 3 * * *')
    const said = await untilBackup(/The last backup was made .* 03:15/) // possibly another one by now
    const file = /: (\/var\/backups\/waymark\/waymark-\S+\.zip), /.exec(said)?.[1] ?? assert.fail(said)
    assert.equal(await ok(`stat -c "%U %a" ${file}`), 'waymark 600\n')
    const drilled = await ok('waymark drill latest')
    assert.ok(drilled.startsWith(`Restored and checked ${file} of `), drilled)
    assert.match(
      drilled,
      /: 1 image in 1 file, .*\nThe secret is in the backup and fits\.\nThe backup can be restored\.\n$/,
    )
    await ok('test -e /var/backups/waymark/first.zip')
  })

  void test('commands use the settings and the user: root creates no file of root, other users get a sentence', async () => {
    await ok('waymark trails add --id 4712 --name "Heron Lake"')
    assert.equal(await ok('find /var/lib/waymark /var/backups/waymark ! -user waymark'), '')
    const other = await debian.sh('setpriv --reuid=65534 --regid=65534 --clear-groups waymark doctor')
    assert.deepEqual(
      [other.code, other.stdout, other.stderr],
      [
        1,
        '',
        'The settings file /etc/waymark/waymark.env is not readable by this user: run the command with sudo, or as root.\n',
      ],
    )
    assert.equal(
      (await debian.sh('setpriv --reuid=65534 --regid=65534 --clear-groups waymark verify --help')).code,
      0,
    )
    await ok('mkdir -m 700 /srv/of-root')
    const ofRoot = await debian.sh('DATA_DIR=/srv/of-root waymark trails add --id 1 --name A')
    assert.equal(ofRoot.code, 1)
    assert.match(
      ofRoot.stderr,
      /^DATA_DIR \/srv\/of-root belongs to root, and the server runs as waymark: run "chown/,
    )
    assert.equal(await ok('ls -A /srv/of-root'), '')
  })

  const property = async (name: string): Promise<string> =>
    (await ok(`systemctl show waymark --property=${name} --value`)).trim()

  void test('systemd runs the server in its sandbox, and finds no fault in the unit and a low exposure', async () => {
    const inside = (line: string) =>
      `nsenter --target $(systemctl show waymark -p MainPID --value) --mount ${line}`
    const status = await ok(
      "grep -E 'CapBnd|NoNewPrivs|Seccomp:' /proc/$(systemctl show waymark -p MainPID --value)/status",
    )
    assert.equal(status, 'CapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n')
    const users = await ok(
      'readlink /proc/1/ns/user /proc/$(systemctl show waymark -p MainPID --value)/ns/user | sort -u | wc -l',
    )
    assert.equal(users, '2\n', 'users of its own')
    for (const place of ['/etc', '/usr', '/opt/waymark', '/var/tmp/..'])
      assert.match((await debian.sh(inside(`touch ${place}/x`))).stderr, /Read-only file system/)
    for (const place of ['/var/lib/waymark', '/var/backups/waymark']) await ok(inside(`test -w ${place}`))
    assert.equal(await ok(inside('ls -A /home /root')), '/home:\n\n/root:\n')
    assert.doesNotMatch(await ok(inside('ls /dev')), /kmsg|mem|sd|vd/)
    assert.equal(await ok('systemd-analyze verify --man=no waymark.service 2>&1'), '')
    await ok('systemd-analyze security --offline=true --threshold=20 /usr/lib/systemd/system/waymark.service')
  })

  void test('systemd restarts a killed server every time; a stopped one stays stopped', async () => {
    assert.equal(await property('NRestarts'), '0')
    for (const times of ['1', '2']) {
      await ok('kill -KILL $(systemctl show waymark -p MainPID --value)')
      while ((await property('NRestarts')) !== times || (await property('SubState')) !== 'running');
      await answering('http://127.0.0.1:8080/health/ready')
    }
    assert.equal(await property('StartLimitIntervalUSec'), '0', 'no start is one too many')
    await ok('systemctl stop waymark')
    assert.deepEqual([await property('Result'), await property('ExecMainStatus')], ['success', '0'])
    await ok('systemctl start waymark')
    await answering('http://127.0.0.1:8080/health/ready')
  })

  void test('the limit on memory of the unit is in force', async (t) => {
    assert.equal(await property('MemoryMax'), String(2 * 1024 ** 3))
    const group = `/sys/fs/cgroup${await property('ControlGroup')}`
    // systemd hands out the controllers that it may: in a container, processes outside of it may stand in the way.
    if (/\bmemory\b/.test(await ok('cat /sys/fs/cgroup/cgroup.subtree_control')))
      assert.equal(await ok(`cat ${group}/memory.max`), `${2 * 1024 ** 3}\n`)
    else t.diagnostic('the control groups of this machine limit no memory')
  })

  void test('after a reboot the server answers by itself, with the same data', async () => {
    const before = await ok('waymark accounts list --json; waymark trails export -')
    const secret = await ok('sha256sum < /var/lib/waymark/secret')
    await debian.reboot()
    await answering('http://127.0.0.1:8080/health/ready')
    assert.equal(await property('NRestarts'), '0')
    assert.equal(await ok('waymark accounts list --json; waymark trails export -'), before)
    assert.equal(await ok('sha256sum < /var/lib/waymark/secret'), secret)
    assert.match(await ok('waymark check --store'), /Everything is complete and intact/)
  })

  const newer =
    /^The database was written by a newer version of Waymark, which has 900\d-\w+: install that version again, or restore a backup from before the upgrade\.$/m
  const hasTrail = async (id: number): Promise<boolean> =>
    new RegExp(`\\b${id}\\b`).test(await ok('waymark trails export -'))

  void test('Upgrade: the next version runs on the same data and settings', async () => {
    assert.equal(await versionServed(), version)
    await follow('Upgrade')
    assert.equal(await versionServed(), next)
    assert.match(await ok('cat /etc/waymark/waymark.env'), /^PUBLIC_URL=https:\/\/photos\.trails\.example$/m)
    await servesPhoto()
    await ok('waymark trails add --id 4713 --name "Since the upgrade"')
  })

  void test('if the next version has only added to the schema, the older program serves its data, and says that it makes no backups', async () => {
    const [downgrade = ''] = commandsIn('Rollback')
    await ok(downgrade)
    assert.equal(await versionServed(), version)
    await servesPhoto()
    assert.ok(await hasTrail(4713))
    const looked = await debian.sh('waymark doctor')
    assert.deepEqual(
      [looked.code, newer.test(looked.stdout.replaceAll(/^.*?(?=The database)/gm, ''))],
      [2, true],
      looked.stdout,
    )
    assert.equal(looked.stdout.match(/newer version/g)?.length, 1, 'said once')
    const backup = await debian.sh('waymark backup /var/backups/waymark/of-newer.zip')
    assert.deepEqual([backup.code, newer.test(backup.stderr)], [2, true], backup.stderr)
    await ok('test ! -e /var/backups/waymark/of-newer.zip')
    await ok(`apt-get install --yes ./${versions.adds}`)
    assert.equal(await versionServed(), next)
  })

  void test('if it has removed something, the older program refuses its data in one sentence', async () => {
    await ok(`dpkg --install ./${versions.removes}`)
    assert.equal(await versionServed(), next)
    const [downgrade = ''] = commandsIn('Rollback')
    await ok(downgrade)
    while (Number(await property('NRestarts')) < 2); // systemd retries without success
    const said = await ok('journalctl -u waymark -o cat -n 20')
    assert.match(said, newer)
    assert.doesNotMatch(said, /\bat .*:\d+:\d+/)
    for (const command of ['serve', 'check', 'backup -', 'accounts list']) {
      const { code, stderr } = await debian.sh(`waymark ${command}`)
      assert.deepEqual([code, newer.test(stderr), stderr.split('\n').length], [2, true, 2], command)
    }
  })

  void test('Rollback: the backup from before the upgrade restores the older version and its data, and the newer data is kept', async () => {
    const secret = await ok('sha256sum < /var/lib/waymark/secret')
    await follow('Rollback')
    assert.equal(await versionServed(), version)
    await servesPhoto()
    assert.deepEqual([await hasTrail(4712), await hasTrail(4713)], [true, false], 'what came since is gone')
    assert.equal(await ok('sha256sum < /var/lib/waymark/secret'), secret)
    assert.match(await ok('cat /etc/waymark/waymark.env'), /^PUBLIC_URL=https:\/\/photos\.trails\.example$/m)
    await ok('waymark check --store --audit')
    assert.equal(await ok('find /var/lib/waymark ! -user waymark'), '')
    // As if the next version had been fixed.
    const later = await debian.sh('DATA_DIR=/var/lib/waymark-after-upgrade waymark check')
    assert.deepEqual([later.code, newer.test(later.stderr)], [2, true], later.stderr)
    assert.equal(await ok('stat -c "%U %a" /var/lib/waymark-after-upgrade/secret'), 'waymark 600\n')
  })

  void test('every command of every runbook runs', async (t) => {
    const commands = await runbookCommands()
    assert.ok(commands.length >= 20, `${commands.length}`)
    for (const prepared of commands)
      await t.test(`${prepared.runbook}: ${prepared.command}`, async () => {
        for (const line of prepared.before) await ok(line)
        await ok(prepared.command)
        for (const line of prepared.after) await ok(line)
      })
  })

  void test('Remove: purging the package leaves the data', async () => {
    await ok('apt-get remove --yes waymark')
    assert.equal((await debian.sh('waymark --version')).code, 127)
    await ok('test ! -e /opt/waymark && test -e /etc/waymark/waymark.env')
    await ok('apt-get purge --yes waymark')
    await ok('test ! -e /etc/waymark/waymark.env && test -e /var/lib/waymark/secret && id waymark')
  })
})
