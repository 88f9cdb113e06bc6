// The number of PostgreSQL connections of a deployment: the chart computes it like the server, and the defaults of chart
// and compose file fit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionsOfNode, standardConnections } from '../../src/settings/database-settings.ts'
import { parsed, read, treeAt } from './files.ts'

const chart = 'deploy/helm/waymark'
/** Of PostgreSQL, by default. */
const reserved = 3
const more = connectionsOfNode(0)

void test('the chart refuses more nodes than there are connections for, calculating as the server does', async () => {
  const helpers = await read(`${chart}/templates/_helpers.tpl`)
  const lines = [
    '{{- $nodes := ternary .Values.autoscaling.maxReplicas .Values.replicas .Values.autoscaling.enabled | int -}}',
    `{{- $each := add (int .Values.database.connections) ${more} -}}`,
    '{{- $all := mul (add $nodes 1) $each -}}',
    '{{- if gt $all (int64 .Values.database.maxConnections) -}}',
  ]
  assert.ok(helpers.includes(`${lines.join('\n')}\n{{- fail (printf "%d nodes`), lines.join('\n'))
  const deployment = await read(`${chart}/templates/deployment.yaml`)
  assert.ok(deployment.startsWith('{{- include "waymark.requireConnections" . -}}'))
  assert.match(deployment, /maxSurge: 1\n/) // the additional node
  assert.ok((await read(`${chart}/values.yaml`)).includes(`each node, which opens ${more} more`))
})

void test("the chart's defaults fit, with autoscaling and without", async () => {
  const values = treeAt({ values: parsed(await read(`${chart}/values.yaml`)) }, 'values')
  const database = treeAt(values, 'database')
  assert.equal(database['connections'], standardConnections)
  const max = Number(database['maxConnections'])
  for (const nodes of [values['replicas'], treeAt(values, 'autoscaling')['maxReplicas']].map(Number))
    assert.ok((nodes + 1) * connectionsOfNode(standardConnections) <= max, `${nodes} nodes`)
})

void test('the nodes of the compose file and its migration fit into the PostgreSQL that it starts', async () => {
  const source = await read('deploy/compose.cluster.yaml')
  const services = treeAt(parsed(source), 'services')
  const given = (pattern: RegExp): number => Number(pattern.exec(source)?.[1])
  const requests = given(/DATABASE_CONNECTIONS:-(\d+)/)
  const max = given(/max_connections=\$\{POSTGRES_MAX_CONNECTIONS:-(\d+)/)
  assert.equal(requests, standardConnections)
  const processes = Object.keys(services).filter((name) => /^(?:node\d|migrate$)/.test(name))
  assert.ok(processes.length * connectionsOfNode(requests) <= max - reserved, processes.join(', '))
  assert.ok(
    source.includes(
      `Each node opens ${more} more: three nodes and the migration, ${processes.length} × ${connectionsOfNode(requests)},`,
    ),
  )
})
