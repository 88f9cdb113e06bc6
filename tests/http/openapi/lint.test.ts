// docs/openapi.json as linters see it: complete, without repetition, of a size that tools accept, and extensible where it
// may grow.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Parameter {
  readonly in: string
  readonly name: string
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Json[]
  readonly responses: Json
}

const text = await readFile(path.resolve(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')
const document = JSON.parse(text) as Json

/** Resolves a reference; undefined if it is broken. */
const at = (reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), document)

const resolved = (value: unknown): unknown =>
  isObject(value) && typeof value['$ref'] === 'string' ? at(value['$ref']) : value

/** Every object within a value, including itself, with its path. */
function* objectsIn(value: unknown, place = '#'): Generator<readonly [string, Json]> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* objectsIn(item, `${place}/${index}`)
  if (!isObject(value)) return
  yield [place, value]
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${name}`)
}

const operations = Object.entries(document['paths'] as Record<string, Json>).flatMap(([route, methods]) =>
  Object.entries(methods).map(([method, value]) => {
    const operation = value as Operation
    const parameters = (operation.parameters ?? []).map((parameter) => resolved(parameter) as Parameter)
    return Object.assign({}, operation, { name: `${method} ${route}`, route, parameters })
  }),
)

const references = [...objectsIn(document)].flatMap(([place, { $ref: reference }]) =>
  typeof reference === 'string' ? [{ place, reference }] : [],
)

void test('every reference has a target, and every component is used', () => {
  const dangling = references.filter(
    ({ reference }) => !reference.startsWith('#/') || !isObject(at(reference)),
  )
  assert.deepEqual(dangling, [])
  const used = new Set(references.map(({ reference }) => reference))
  const components = Object.entries(document['components'] as Record<string, Json>)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`))
  assert.deepEqual(
    components.filter((name) => !used.has(name)),
    [],
  )
  assert.deepEqual(
    components.filter((name) => !/\/[\w.-]+$/.test(name)),
    [],
    'no names of components',
  )
})

void test('a linter finds nothing: the rules that Redocly recommends, its warnings as errors', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const lint = async (source: string) => {
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
    return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
  }
  assert.deepEqual(await lint(text), [])
  const broken = { ...document, info: { version: '2' } }
  assert.notDeepEqual(await lint(JSON.stringify(broken)), [])
})

void test('its size is within what tools accept', () => {
  assert.ok(Buffer.byteLength(text) < 300_000, `${Buffer.byteLength(text)} bytes`)
})

void test('operations have their own IDs, summaries, and a response of each kind', () => {
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  for (const { name, operationId, summary = '', responses } of operations) {
    assert.match(operationId, /^[A-Za-z]\w*$/, name)
    assert.notEqual(summary, '', name)
    const statuses = Object.keys(responses)
    assert.ok(
      statuses.some((status) => /^2\d\d$/.test(status)),
      `${name} has no success`,
    )
    assert.ok(
      statuses.some((status) => /^4\d\d$/.test(status)),
      `${name} has no refusal`,
    )
  }
})

void test('responses without content have none, and headers are described once', () => {
  for (const { name, responses } of operations)
    for (const [status, answer] of Object.entries(responses)) {
      const { description, content, headers = {} } = resolved(answer) as Json
      assert.ok(typeof description === 'string' && description !== '', `${name} ${status}`)
      if (status === '204' || status === '304') assert.equal(content, undefined, `${name} ${status}`)
      for (const header of Object.values(headers as Json))
        assert.ok(!('schema' in ((header as Json)['schema'] as Json)), `${name} ${status}`)
    }
})

void test('no two paths are equivalent, and their parameters are those described', () => {
  const alike = Map.groupBy(Object.keys(document['paths'] as Json), (route) =>
    route.replaceAll(/\{\w+\}/g, '{}'),
  )
  assert.deepEqual(
    [...alike.values()].filter(({ length }) => length > 1),
    [],
  )
  for (const { name, route, parameters } of operations) {
    const inPath = [...route.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter)
    const reported = parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => parameter.name)
    assert.deepEqual(reported.toSorted(), inPath.toSorted(), name)
    const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
    assert.equal(new Set(keys).size, keys.length, name)
  }
})

void test("every operation's credentials are a described security scheme", () => {
  const schemes = (document['components'] as Record<string, Json>)['securitySchemes'] ?? {}
  for (const { name, security } of operations) {
    assert.ok(security, name)
    for (const way of security)
      for (const scheme of Object.keys(way)) assert.ok(scheme in schemes, `${name}: ${scheme}`)
  }
})

/** Response enums that never grow: echoes of the request, and yes or no. */
const closed: ReadonlySet<string> = new Set([
  '["on","off"]',
  '["delete","keep"]',
  '["none","file","style"]',
  '["none","file"]',
])

/** All schemas of responses, with references followed. */
function* schemasOf(value: unknown, place: string): Generator<readonly [string, Json]> {
  for (const [inner, schema] of objectsIn(value, place)) {
    yield [inner, schema]
    if (typeof schema['$ref'] === 'string')
      yield* schemasOf(at(schema['$ref']), `${inner} → ${schema['$ref']}`)
  }
}

void test('an enum in a response is marked as open and says so, or is known to be closed', () => {
  const wrong = new Set<string>()
  let open = 0
  for (const { name, responses } of operations)
    for (const [place, schema] of schemasOf(responses, name)) {
      const { enum: values, 'x-open-enum': isOpen, description = '' } = schema
      if (!Array.isArray(values) || values.length === 1) continue
      const isReported = typeof description === 'string' && description.includes('More values may be added')
      if (isOpen === true && isReported) open += 1
      else if (isOpen !== undefined || !closed.has(JSON.stringify(values))) wrong.add(place)
    }
  assert.deepEqual([...wrong], [])
  assert.ok(open > 20, `only ${open}`)
})
