// Alerts and dashboard: every metric and label is one of Waymark's, and every alert has its runbook.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { filesOf, isTree, listAt, parsed, read, root, treeAt, type Tree } from './files.ts'
import { expressionFaults, isBalanced, metricsIn, readMetrics } from './prometheus-rules.ts'

const run = promisify(execFile)

/** `up` is Prometheus' own; the rest comes with its library, as docs/metrics.md says. */
function otherMetrics(): Set<string> {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return new Set(['up', ...register.getMetricsAsArray().map(({ name }) => name)])
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

async function readAlerts(): Promise<Tree[]> {
  const document = parsed(await read('deploy/prometheus/alerts.yaml'))
  return listAt(document, 'groups').flatMap((group) => listAt(group, 'rules').filter(isTree))
}

/** Every expression of the dashboard, with the title of its panel. */
async function readPanels(): Promise<{ title: string; type: string; expressions: string[] }[]> {
  const dashboard = parsed(await read('deploy/grafana/waymark.json'))
  return listAt(dashboard, 'panels')
    .filter(isTree)
    .map((panel) => ({
      title: text(panel['title']),
      type: text(panel['type']),
      expressions: listAt(panel, 'targets').map((target) => text(treeAt({ target }, 'target')['expr'])),
    }))
}

void test('every alert uses existing metrics and labels', async () => {
  const metrics = readMetrics(await read('docs/metrics.md'))
  assert.ok(metrics.size > 25)
  const alerts = await readAlerts()
  assert.ok(alerts.length > 15)
  for (const { alert, expr } of alerts)
    assert.deepEqual(expressionFaults(text(expr), metrics, otherMetrics()), [], text(alert))
})

void test('every alert has its runbook with the four answers, and every runbook its alert', async () => {
  const alerts = await readAlerts()
  const named = alerts.map((alert) => text(treeAt(alert, 'annotations')['runbook']))
  assert.deepEqual(named.toSorted(), await filesOf('docs/runbooks'))
  for (const [at, file] of named.entries()) {
    const page = await read(file)
    assert.ok(page.startsWith(`# ${text(alerts[at]?.['alert'])}\n`), file)
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    const answers = ['What it means', 'First checks', 'How to fix it', 'When to page someone']
    assert.deepEqual(headings, answers, file)
    for (const [, link = ''] of page.matchAll(/\]\(([^)#]+)[^)]*\)/g))
      await read(path.relative(root, path.resolve(root, 'docs/runbooks', link)))
    assert.ok(['page', 'ticket'].includes(text(treeAt(alerts[at], 'labels')['severity'])), file)
  }
})

void test('every panel of the dashboard uses existing metrics and labels; each metric has a panel', async () => {
  const metrics = readMetrics(await read('docs/metrics.md'))
  const panels = await readPanels()
  const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  assert.deepEqual(rows, [
    'Requests, errors, latency',
    'Uploads and renditions',
    'Review queue',
    'Storage',
    'Events and webhooks',
    'Database',
    'Process',
  ])
  const expressions = panels.flatMap(({ title, expressions }) =>
    expressions.map((expression) => ({ title, expression })),
  )
  for (const { title, expression } of expressions)
    assert.deepEqual(expressionFaults(expression, metrics, otherMetrics()), [], title)
  const shown = new Set(
    expressions.flatMap(({ expression }) =>
      metricsIn(expression).map(({ metric }) => metric.replace(/_(?:bucket|count)$/, '')),
    ),
  )
  assert.deepEqual(
    [...metrics.keys()].filter((name) => !shown.has(name)),
    [],
  )
})

const seeded: readonly [string, RegExp][] = [
  ['sum(rate(waymark_upload_total[5m]))', /waymark_upload_total, which is no metric/],
  ['sum by (trail) (rate(waymark_uploads_total[5m]))', /asks waymark_uploads_total for trail/],
  ['waymark_images{status="pending"} > 1', /asks waymark_images for status/],
  ['sum(waymark_uploads_total) > 1', /takes the counter waymark_uploads_total as it is/],
  ['waymark_images_bucket > 1', /waymark_images_bucket, which is no metric/],
  ['sum(rate(waymark_uploads_total[5m])', /not balanced/],
  ['1 > 0', /names no metric/],
]

for (const [expression, expected] of seeded) {
  void test(`a wrong expression is detected: ${expression}`, async () => {
    const metrics = readMetrics(await read('docs/metrics.md'))
    assert.match(expressionFaults(expression, metrics, otherMetrics()).join('\n'), expected)
  })
}

void test('brackets in strings do not count, and those of different kinds do not close each other', () => {
  assert.ok(isBalanced('a{route="/(x"} > (1)'))
  assert.ok(!isBalanced('a{b="c"(} > 1)'))
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

void test(
  'promtool finds nothing in the rules',
  { skip: !hasPromtool && 'promtool is not installed' },
  async () => {
    const { stdout } = await run('promtool', [
      'check',
      'rules',
      path.join(root, 'deploy/prometheus/alerts.yaml'),
    ])
    assert.match(stdout, /SUCCESS/)
  },
)
