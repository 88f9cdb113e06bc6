// Every proxy that we ship, print or describe allows the largest body that the settings allow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/settings/config.ts'
import { largestBodyMebibytes } from '../../src/settings/limit-settings.ts'
import { filesOf, read } from './files.ts'

const mebibytes = largestBodyMebibytes(readConfig({}))

void test('the largest body is an import, unless a setting says otherwise', () => {
  assert.equal(mebibytes, 65)
  assert.equal(largestBodyMebibytes(readConfig({ MAX_IMPORT_BYTES: String(200 * 1024 ** 2) })), 201)
  assert.equal(largestBodyMebibytes(readConfig({ MAX_IMPORT_BYTES: '1000' })), 25, 'a route')
})

/** The limits in a text, in MiB. */
const limitsIn = (text: string): number[] =>
  [
    ...text.matchAll(
      /(?:client_max_body_size|proxy-body-size:)\s+'?(\d+)m\b|body (?:is larger than|of more than) (\d+) MB/g,
    ),
  ].map(([, size, reported]) => Number(size ?? reported))

void test('files of deploy/ and blocks of docs/ have this limit, in each nginx server', async () => {
  const files = [...(await filesOf('deploy')), ...(await filesOf('docs'))].filter(
    (file) => /\.(?:conf|ya?ml|md|tpl|txt)$/.test(file) && !/docs\/(?:decisions|evidence)\//.test(file),
  )
  const found = await Promise.all(files.map(async (file) => ({ file, limits: limitsIn(await read(file)) })))
  const named = found.filter(({ limits }) => limits.length > 0)
  assert.deepEqual(
    named.filter(({ limits }) => limits.some((limit) => limit !== mebibytes)),
    [],
  )
  const proxies = ['deploy/nginx.conf', 'deploy/nginx-cache.conf', 'deploy/nginx-site.conf']
  for (const file of [...proxies, 'deploy/helm/waymark/values.yaml', 'docs/operations.md'])
    assert.ok(
      named.some((one) => one.file === file),
      file,
    )
  for (const file of files.filter((one) => one.endsWith('.md')))
    for (const [, block = ''] of (await read(file)).matchAll(/```nginx\n([\s\S]*?)```/g))
      if (/\bproxy_pass\b/.test(block))
        assert.ok(limitsIn(block).length > 0, `${file} has a proxy without a limit`)
})
