// `waymark doctor` on the number of connections that all nodes together may open.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeConnections } from '../../cli/doctor-connections.ts'
import { assertOneSentence } from './run-waymark.ts'

const cases: readonly (readonly [
  available: number,
  nodes: number,
  requests: number,
  level: string,
  said: string,
])[] = [
  [97, 0, 10, 'good', 'No node is running; PostgreSQL allows 97, and a node needs at most 14.'],
  [97, 6, 10, 'good', '6 nodes may open 84 connections; PostgreSQL allows 97, and a node needs at most 14.'],
  [
    97,
    7,
    10,
    'failure',
    '7 nodes may open 98 connections to PostgreSQL, but it has 97: lower DATABASE_CONNECTIONS from 10 to 9, raise max_connections, or run fewer nodes.',
  ],
  [
    97,
    0,
    100,
    'failure',
    '1 node may open 104 connections to PostgreSQL, but it has 97: lower DATABASE_CONNECTIONS from 100 to 93, raise max_connections, or run fewer nodes.',
  ],
  [
    20,
    6,
    2,
    'failure',
    '6 nodes may open 36 connections to PostgreSQL, but it has 20: raise max_connections, or run fewer nodes.',
  ],
]

for (const [available, nodes, requests, level, said] of cases)
  void test(`${nodes} nodes with DATABASE_CONNECTIONS=${requests} and ${available} connections: ${level}`, () => {
    assert.deepEqual(judgeConnections({ available, nodes }, requests), { level, detail: said })
    assertOneSentence(`${said}\n`)
  })
