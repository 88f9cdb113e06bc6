// The compose files: everything that they refer to exists, and they contain no passwords.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { composeFaults, variablesOf } from './compose-rules.ts'
import { parsed, read, root, treeAt } from './files.ts'

const files = ['deploy/compose.yaml', 'deploy/compose.cluster.yaml']
const has = (file: string): boolean => existsSync(path.join(root, 'deploy', file))

for (const file of files) {
  void test(`${file}: every name is declared, every setting exists, no password has a default`, async () => {
    const source = await read(file)
    assert.deepEqual(composeFaults(parsed(source), source, has), [])
  })
}

void test('.env.example names what the compose files use, and contains no secret', async () => {
  const lines = (await read('deploy/.env.example')).split('\n').filter((line) => /^\w+=/.test(line))
  const given = new Map(lines.map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]))
  const sources = await Promise.all(files.map(read))
  const taken = sources.flatMap(variablesOf)
  const optional = new Set(['METRICS_ALLOW'])
  assert.deepEqual(
    [...given.keys()].filter((name) => !taken.includes(name)),
    [],
  )
  assert.deepEqual(
    taken.filter((name) => !given.has(name) && !optional.has(name)),
    [],
  )
  for (const [name, value] of given) if (/PASSWORD|KEY|PUBLIC_URL/.test(name)) assert.equal(value, '', name)
})

void test('the cluster: nginx balances over the existing nodes, and they trust only nginx', async () => {
  const document = parsed(await read('deploy/compose.cluster.yaml'))
  const services = treeAt(document, 'services')
  const nodes = Object.keys(services).filter((name) => name.startsWith('node'))
  const nginx = await read('deploy/nginx.conf')
  assert.deepEqual(
    [...nginx.matchAll(/^\s+server (\w+):8080 /gm)].map(([, name]) => name),
    nodes,
  )
  const address = treeAt(services, 'nginx', 'networks', 'inside')['ipv4_address']
  for (const name of nodes) {
    const environment = treeAt(services, name, 'environment')
    assert.equal(environment['TRUST_PROXY'], address, name)
    // The region and the port of the store are those of its own file.
    const store = await read('deploy/garage.toml')
    const url = new URL(String(environment['BLOB_URL']))
    assert.ok(store.includes(`s3_region = "${url.searchParams.get('region')}"`))
    assert.ok(
      store.includes(`api_bind_addr = "[::]:${new URL(url.searchParams.get('endpoint') ?? '').port}"`),
    )
    assert.equal(url.hostname, treeAt(services, 's3', 'environment')['GARAGE_DEFAULT_BUCKET'])
    assert.deepEqual(Object.keys(treeAt(services, name, 'depends_on')).toSorted(), [
      'migrate',
      'postgres',
      's3',
    ])
  }
})

/** Each makes one thing wrong, to test the test. */
const seeded: readonly [string, string, RegExp][] = [
  ['- data:/data', '- date:/data', /volume date, which is not declared/],
  ['PUBLIC_URL: ${PUBLIC_URL:?', 'PUBLIC_URL: ${PUBLIC_URL:-', /PUBLIC_URL may be left empty/],
  ['      SITE_NAME:', '      SITENAME:', /SITENAME, which is no setting/],
  ['such as https://photos', 'such as $(hostname) https://photos', /cannot read a dollar/],
  ['read_only: true', 'read_only: false', /could write/],
  ['127.0.0.1:8080:8080', '8080:8080', /to everybody/],
  ['image: waymark:local', 'image: waymark:latest', /not one version/],
  ['- /tmp:size=256m,mode=1777', '- /var/tmp', /has no \/tmp/],
]

for (const [theirs, wrong, expected] of seeded) {
  void test(`a compose file with "${wrong}" is detected`, async () => {
    const source = await read('deploy/compose.yaml')
    assert.equal(source.split(theirs).length, 2, theirs)
    const broken = source.replace(theirs, () => wrong)
    assert.match(composeFaults(parsed(broken), broken, has).join('\n'), expected)
  })
}

void test('a cluster without a secret, a network or a condition is detected', async () => {
  const source = await read('deploy/compose.cluster.yaml')
  const broken = source
    .replace('secrets:\n  waymark:\n    file', 'secrets:\n  other:\n    file')
    .replace('networks:\n  inside:\n    ipam', 'networks:\n  outside:\n    ipam')
    .replace('SECRET_FILE: /run/secrets/waymark', 'SECRET_FILE: /run/secrets/waymarks')
    .replace(/ {4}healthcheck:\n {6}test: \[CMD, pg_isready[\s\S]*?start_period: 60s\n/, '')
  const faults = composeFaults(parsed(broken), broken, has).join('\n')
  for (const expected of [
    /none of the secrets/,
    /none of the networks/,
    /SECRET_FILE to/,
    /health of postgres/,
  ])
    assert.match(faults, expected)
})
