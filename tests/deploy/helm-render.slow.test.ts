// The rendered chart: for several sets of values, the manifests match the schemas of Kubernetes.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { filesOf, listAt, parsed, read, treeAt, type Tree } from './files.ts'
import { rendered, type ChartToRender } from './helm-render.ts'
import { nameFaults, schemaFaults } from './kubernetes.ts'

const folder = 'deploy/helm/waymark'

/** The required values. */
const minimal = {
  image: { repository: 'registry.example/waymark' },
  publicUrl: 'https://photos.trails.example',
  database: { existingSecret: 'waymark-database' },
  blobs: { url: 's3://waymark?region=eu-central-2' },
  secret: { existingSecret: 'waymark-secret' },
}

/** With all options, and every value that is empty by default. */
const everything = {
  ...minimal,
  image: {
    repository: 'registry.example/waymark',
    digest: `sha256:${'0a'.repeat(32)}`,
    pullSecrets: [{ name: 'registry' }],
  },
  blobs: { url: 's3://waymark', existingSecret: 'waymark-store' },
  trustProxy: '10.42.0.0/16',
  settings: { SITE_NAME: 'Rim Trails', MAX_IMAGE_BYTES: 4_000_000, WEB_APP: 'off' },
  extraEnv: [{ name: 'SMTP_URL', valueFrom: { secretKeyRef: { name: 'mail', key: 'url' } } }],
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-body-size': '65m' },
    host: 'photos.trails.example',
    tlsSecret: 'photos-tls',
  },
  autoscaling: { enabled: true },
  podDisruptionBudget: { maxUnavailable: '25%' },
  serviceAccount: {
    name: 'photos',
    annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/photos' },
  },
  podAnnotations: { 'example.org/team': 'trails' },
  podLabels: { team: 'trails' },
  nodeSelector: { 'kubernetes.io/arch': 'arm64' },
  tolerations: [{ key: 'photos', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
}

/** With all options off. */
const nothing = {
  ...minimal,
  podDisruptionBudget: { enabled: false },
  serviceAccount: { create: false },
  migrations: { enabled: false },
}

/** Merges values like Helm: maps by key, everything else replaced. */
function laidOver(below: Tree, above: Tree): Tree {
  const both = Object.entries(above).map(([name, value]) => {
    const [under, over] = [treeAt(below, name), treeAt(above, name)]
    return [name, Object.keys(over).length > 0 ? laidOver(under, over) : value] as const
  })
  return { ...below, ...Object.fromEntries(both) }
}

async function readChart(own: Tree): Promise<ChartToRender> {
  const names = (await filesOf(`${folder}/templates`)).map((file) => path.basename(file))
  const templates = names.map(async (name) => [name, await read(`${folder}/templates/${name}`)] as const)
  const [chart, values] = [
    parsed(await read(`${folder}/Chart.yaml`)),
    parsed(await read(`${folder}/values.yaml`)),
  ]
  return {
    chart: treeAt({ chart }, 'chart'),
    values: laidOver(treeAt({ values }, 'values'), own),
    templates: new Map(await Promise.all(templates)),
    files: new Map([['alerts.yaml', await read(`${folder}/alerts.yaml`)]]),
  }
}

/** Rendered YAML templates, whose documents must be valid. */
function manifestsOf(chart: ChartToRender): Tree[] {
  const texts = [...rendered(chart)].filter(([name]) => name.endsWith('.yaml'))
  return texts.flatMap(([name, text]) =>
    parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
      assert.deepEqual(document.errors, [], name)
      const manifest: unknown = document.toJS()
      return treeAt({ manifest }, 'manifest')
    }),
  )
}

const kindsOf = (manifests: readonly Tree[]): string[] => manifests.map(({ kind }) => String(kind)).toSorted()

const sets: readonly (readonly [string, Tree, string])[] = [
  ['the least values', minimal, 'Deployment Job PodDisruptionBudget Service ServiceAccount'],
  [
    'everything turned on',
    everything,
    'Deployment HorizontalPodAutoscaler Ingress Job PodDisruptionBudget PrometheusRule Service ServiceAccount ServiceMonitor',
  ],
  ['everything turned off', nothing, 'Deployment Service'],
]

void test('rendered with any values, the chart is valid for Kubernetes', async () => {
  const all: Tree[] = []
  for (const [name, values, kinds] of sets) {
    const manifests = manifestsOf(await readChart(values))
    assert.equal(kindsOf(manifests).join(' '), kinds, name)
    assert.deepEqual(await schemaFaults(manifests), [], name)
    all.push(...manifests)
  }
  assert.equal(await nameFaults(all), '')
})

void test('chosen values are in the pods of nodes and migration', async () => {
  const manifests = manifestsOf(await readChart(everything))
  for (const kind of ['Deployment', 'Job']) {
    const pod = treeAt(
      manifests.find((manifest) => manifest['kind'] === kind),
      'spec',
      'template',
      'spec',
    )
    const container = listAt(pod, 'containers')[0]
    assert.equal(
      treeAt({ container }, 'container')['image'],
      `registry.example/waymark@sha256:${'0a'.repeat(32)}`,
    )
    assert.equal(treeAt(pod, 'securityContext')['runAsUser'], 10_001)
    const names = listAt(container, 'env').map((variable) => treeAt({ variable }, 'variable')['name'])
    for (const name of ['PUBLIC_URL', 'SITE_NAME', 'SMTP_URL', 'AWS_ACCESS_KEY_ID'])
      assert.ok(names.includes(name), name)
    assert.equal(new Set(names).size, names.length)
    const number = { name: 'MAX_IMAGE_BYTES', value: '4000000' }
    assert.ok(listAt(container, 'env').some((variable) => isDeepStrictEqual(variable, number)))
    assert.deepEqual(pod['imagePullSecrets'], [{ name: 'registry' }])
  }
})

void test('without a required value there is one sentence', async () => {
  for (const name of ['image', 'publicUrl', 'database', 'blobs', 'secret'] as const) {
    const { [name]: _, ...rest } = minimal
    const chart = await readChart(rest)
    assert.throws(() => rendered(chart), new RegExp(`^Error: ${name}[.\\w]*: `), name)
  }
})

void test('more nodes than PostgreSQL has connections for are refused, with any of the settings for their number', async () => {
  const sentence = /^Error: 10 nodes and one more may open 154 connections to PostgreSQL, 14 each, but/
  const scaled = await readChart({ ...minimal, autoscaling: { enabled: true, maxReplicas: 10 } })
  assert.throws(() => rendered(scaled), sentence)
  assert.throws(() => rendered({ ...scaled, values: { ...scaled.values, replicas: 2 } }), sentence)
  const fixed = await readChart({ ...minimal, replicas: 10 })
  assert.throws(() => rendered(fixed), sentence)
})

/** Each makes one thing wrong in valid YAML, to test the test. */
const seeded: readonly [string, string, string, RegExp][] = [
  ['deployment.yaml', 'containerPort: 8080', 'containerPort: "8080"', /containerPort must be integer/],
  [
    'service.yaml',
    '  ports:\n    - name: http\n      port:',
    '  ports:\n    - name: http\n      ports:',
    /required property port\n/,
  ],
  ['ingress.yaml', 'pathType: Prefix', 'pathTypes: Prefix', /required property pathType\n/],
  ['_helpers.tpl', 'runAsUser: 10001', 'runAsUsers: 10001', /runAsUsers/],
  ['pdb.yaml', 'policy/v1', 'policy/v2', /policy\/v2 has no PodDisruptionBudget/],
  ['migrate.yaml', 'backoffLimit: 3', 'backoff: 3', /'"backoff"' does not exist/],
  ['servicemonitor.yaml', 'interval:', 'intervals:', /'"intervals"' does not exist/],
  [
    'deployment.yaml',
    'nindent 12 }}\n          ports',
    'nindent 8 }}\n          ports',
    /'"valueFrom"' does not exist in type 'IContainer'/,
  ],
]

for (const [name, theirs, wrong, expected] of seeded) {
  void test(`a chart with "${wrong.trim()}" in ${name} is detected`, async () => {
    const chart = await readChart(everything)
    const text = chart.templates.get(name) ?? ''
    assert.ok(text.includes(theirs), theirs)
    const templates = new Map([...chart.templates, [name, text.replaceAll(theirs, () => wrong)]])
    const faults = async (): Promise<string> => {
      const manifests = manifestsOf({ ...chart, templates })
      return [...(await schemaFaults(manifests)), await nameFaults(manifests)].join('\n')
    }
    assert.match(await faults().catch(String), expected)
  })
}
