// The alerts evaluated by Prometheus itself: each fires when it should, with its text, and not before.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { isTree, listAt, parsed, read, root, treeAt, type Tree } from './files.ts'
import { newFolder } from '../helpers/folders.ts'
import { alertCases, type AlertCase } from './alert-cases.ts'

const run = promisify(execFile)
const rules = 'deploy/prometheus/alerts.yaml'
/** Rules that take longer to fire are evaluated less often than in Prometheus. */
const longMinutes = 120
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

async function readRules(): Promise<Tree[]> {
  return listAt(parsed(await read(rules)), 'groups').flatMap((group) => listAt(group, 'rules').filter(isTree))
}

function inputOf(figures: Readonly<Record<string, string>>) {
  return Object.entries(figures).map(([series, values]) => ({ series, values }))
}

/** As a promtool test: the samples, and the expected alerts. */
function testsOf({ alert, minutes, fires, quiet, labels, description }: AlertCase, rule: Tree) {
  const judge = { eval_time: `${minutes}m`, alertname: alert }
  const call = {
    exp_labels: { severity: treeAt(rule, 'labels')['severity'], ...labels },
    exp_annotations: { ...treeAt(rule, 'annotations'), description },
  }
  const interval = '1m'
  return [
    { interval, input_series: inputOf(fires), alert_rule_test: [{ ...judge, exp_alerts: [call] }] },
    ...[...quiet, {}].map((figures) => ({
      interval,
      input_series: inputOf(figures),
      alert_rule_test: [{ ...judge, exp_alerts: [] }],
    })),
  ]
}

void test(
  'every alert fires when it should, describes the problem, and is silent otherwise',
  { skip: !hasPromtool && 'promtool is not installed' },
  async (t) => {
    const byName = new Map((await readRules()).map((rule) => [rule['alert'], rule]))
    assert.deepEqual(
      alertCases.map(({ alert }) => alert),
      [...byName.keys()],
    )
    const folder = await newFolder(t)
    const bySteps = Map.groupBy(alertCases, ({ minutes }) => (minutes > longMinutes ? '30m' : '1m'))
    const files: string[] = []
    for (const [step, cases] of bySteps) {
      const document = {
        rule_files: [path.join(root, rules)],
        evaluation_interval: step,
        tests: cases.flatMap((each) => testsOf(each, byName.get(each.alert) ?? {})),
      }
      const file = path.join(folder, `every-${step}.yaml`)
      await writeFile(file, JSON.stringify(document))
      files.push(file)
    }
    const { stdout } = await run('promtool', ['test', 'rules', ...files]).catch((error: unknown) => {
      const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
      return assert.fail(said)
    })
    assert.match(stdout, /SUCCESS/)
  },
)
