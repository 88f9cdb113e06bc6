// The Helm chart's source: values, schema, templates and names agree. helm-render.slow.test.ts renders it.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { readConfig } from '../../src/settings/config.ts'
import { filesOf, parsed, read, treeAt } from './files.ts'
import { chartFaults, referenceFaults, type Chart } from './helm-rules.ts'

const folder = 'deploy/helm/waymark'

async function readChart(): Promise<Chart> {
  const names = (await filesOf(`${folder}/templates`)).map((file) => path.basename(file))
  const templates = await Promise.all(
    names.map(async (name) => [name, await read(`${folder}/templates/${name}`)] as const),
  )
  return {
    values: parsed(await read(`${folder}/values.yaml`)),
    schema: parsed(await read(`${folder}/values.schema.json`)),
    templates: new Map(templates),
  }
}

void test('values, schema and templates agree, every include is defined, every variable is a setting', async () => {
  const chart = await readChart()
  assert.ok(chart.templates.size >= 11)
  assert.deepEqual(chartFaults(chart), [])
  assert.deepEqual(referenceFaults(chart.templates), [])
})

void test('the chart has this version, and runs as the image requires', async () => {
  const chart = parsed(await read(`${folder}/Chart.yaml`))
  assert.equal(treeAt({ chart }, 'chart')['appVersion'], packageFile.version)
  const dockerfile = await read('Dockerfile')
  const said = (name: string) => new RegExp(`^${name} (\\d+|/\\w+)`, 'm').exec(dockerfile)?.[1]
  const helpers = await read(`${folder}/templates/_helpers.tpl`)
  const deployment = await read(`${folder}/templates/deployment.yaml`)
  assert.ok(helpers.includes(`runAsUser: ${said('USER')}\n`))
  assert.ok(deployment.includes(`containerPort: ${said('EXPOSE')}\n`))
  assert.ok(helpers.includes(`mountPath: ${said('VOLUME')}\n`))
})

void test('a node has enough time to stop: its grace period and a margin', async () => {
  const { values } = await readChart()
  const tree = treeAt({ values }, 'values')
  assert.equal(tree['stopGraceSeconds'], readConfig({}).stopGraceSeconds)
  const deployment = await read(`${folder}/templates/deployment.yaml`)
  assert.match(
    deployment,
    /terminationGracePeriodSeconds: \{\{ add \.Values\.preStopSeconds \.Values\.stopGraceSeconds 5 \}\}/,
  )
  assert.match(deployment, /sleep:\n\s+seconds: \{\{ \.Values\.preStopSeconds \}\}/)
})

void test('the rules of the chart are those of deploy/prometheus', async () => {
  assert.equal(await read(`${folder}/alerts.yaml`), await read('deploy/prometheus/alerts.yaml'))
})

/** Each makes one thing wrong in one file, to test the test. */
const seeded: readonly [string, string, string, RegExp][] = [
  ['service.yaml', '.Values.service.port', '.Values.service.ports', /service\.ports, which no value is/],
  ['service.yaml', '{{ .Values.service.type }}', 'ClusterIP', /service\.type is a value that nothing uses/],
  [
    'hpa.yaml',
    'include "waymark.labels"',
    'include "waymark.label"',
    /waymark\.label is included and not defined/,
  ],
  ['_helpers.tpl', '- name: SECRET_FILE', '- name: SECRETS_FILE', /SECRETS_FILE is set/],
  ['pdb.yaml', '{{- end }}', '', /pdb\.yaml lacks 1 end/],
  ['service.yaml', '  type:', ' type:', /service\.yaml: /],
  [
    '_helpers.tpl',
    '- name: tmp\n  mountPath',
    '- name: temp\n  mountPath',
    /temp is mounted and is no volume/,
  ],
  [
    '_helpers.tpl',
    'value: /run/secrets/waymark/secret',
    'value: /run/secret',
    /\/run\/secret is named in a setting/,
  ],
  ['service.yaml', 'targetPort: http', 'targetPort: web', /port web is not declared/],
]

for (const [name, theirs, wrong, expected] of seeded) {
  void test(`a chart with "${wrong.trim() || 'nothing'}" in ${name} is detected`, async () => {
    const chart = await readChart()
    const text = chart.templates.get(name) ?? ''
    assert.ok(text.includes(theirs), theirs)
    const templates = new Map([...chart.templates, [name, text.replaceAll(theirs, () => wrong)]])
    assert.match(
      [...chartFaults({ ...chart, templates }), ...referenceFaults(templates)].join('\n'),
      expected,
    )
  })
}

void test('unknown and invalid values are found by the schema', async () => {
  const chart = await readChart()
  const values = { ...treeAt({ chart }, 'chart', 'values'), replicas: 'three', replica: 3 }
  const faults = chartFaults({ ...chart, values }).join('\n')
  assert.match(faults, /values\.yaml has replica, the schema does not/)
  assert.match(faults, /another type at replicas/)
})
