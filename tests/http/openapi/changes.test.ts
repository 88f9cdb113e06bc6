// C41: v2 only grows; changes that would break a client of the released document are found, and no others.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breakingChanges } from '../../../scripts/openapi-changes.ts'
import {
  correctionsFile,
  readSnapshot,
  releasedFile,
  snapshotFile,
} from '../../../scripts/openapi-snapshot.ts'

const image = {
  type: 'object',
  required: ['id', 'status', 'lat'],
  properties: {
    id: { type: 'integer' },
    status: { type: 'string', enum: ['pending', 'approved'] },
    kind: { type: 'string', enum: ['a'], 'x-open-enum': true },
    at: { type: 'string', format: 'date-time' },
    lat: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    data: { anyOf: [{ type: 'object', properties: { id: {} } }, { type: 'number' }], 'x-open-union': true },
    sizes: {
      type: 'array',
      items: { type: 'object', required: ['w'], properties: { w: { type: 'integer' } } },
    },
  },
}

const change = {
  type: 'object',
  additionalProperties: false,
  required: ['decision'],
  properties: {
    decision: { type: 'string', enum: ['approve', 'reject'] },
    note: { type: 'string', maxLength: 100 },
    lat: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  },
}

const released = {
  components: { schemas: { Image: image } },
  paths: {
    '/v2/images': {
      get: {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 500 } },
          { name: 'status', in: 'query', schema: { type: 'string', enum: ['pending', 'approved'] } },
        ],
        security: [{ apiKey: [] }, { oauth: ['images:read'] }],
        responses: {
          200: {
            headers: { Location: {} },
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Image' } },
              'application/xml': { schema: {} },
            },
          },
          404: { content: {} },
        },
      },
      post: {
        requestBody: { content: { 'application/json': { schema: change } } },
        responses: { 201: { content: {} } },
      },
    },
    '/v2/trails': { get: { responses: { 204: {} } } },
  },
}

type Node = Record<string, unknown>

/** A copy of the released document with one change. */
function changed(path: string, alter: (node: Node) => void): unknown {
  const document = structuredClone(released) as unknown as Node
  const node = path
    .split('>')
    .filter((part) => part !== '')
    .reduce((value, part) => value[part] as Node, document)
  alter(node)
  return document
}

const get = 'paths>/v2/images>get>'
const fields = 'components>schemas>Image>properties>'
const sent = 'paths>/v2/images>post>requestBody>content>application/json>schema>'
const put = (name: string, value: unknown) => (node: Node) => void (node[name] = value)
const drop = (name: string) => (node: Node) => void delete node[name]

const breaking: readonly [string, string, (node: Node) => void, string][] = [
  ['a path', 'paths', drop('/v2/trails'), "$.paths['/v2/trails']: "],
  ['a method', 'paths>/v2/images', drop('post'), "$.paths['/v2/images'].post: "],
  ['an answer', `${get}responses`, drop('200'), ".get.responses['200']: "],
  ['a media type', `${get}responses>200>content`, drop('application/xml'), "content['application/xml']: "],
  ['a header', `${get}responses>200>headers`, drop('Location'), 'headers.Location: '],
  ['a field', fields, drop('at'), "content['application/json'].schema.properties.at: "],
  [
    'a field that may be left out',
    'components>schemas>Image',
    put('required', ['id', 'lat']),
    'properties.status: ',
  ],
  ['the type of a field', `${fields}id`, put('type', 'string'), 'properties.id.type: '],
  ['a number for an integer', `${fields}id`, put('type', 'number'), 'properties.id.type: '],
  ['null in an answer', `${fields}id`, put('type', ['integer', 'null']), 'properties.id.type: '],
  ['null in an answer, as a type', `${fields}at`, put('type', ['string', 'null']), 'properties.at.type: '],
  [
    'a parameter behind a reference',
    `${get}parameters`,
    (node) => void Object.assign(node, { 0: { $ref: '#/components/parameters/none' } }),
    "parameters['query limit']: ",
  ],
  [
    'a third alternative',
    `${fields}lat`,
    put('anyOf', [{ type: 'number' }, { type: 'string' }]),
    'properties.lat.type: ',
  ],
  ['one of alternatives that may grow', `${fields}data`, put('anyOf', [{ type: 'number' }]), 'data.type: '],
  [
    'a field of alternatives that may grow',
    `${fields}data>anyOf>0`,
    put('properties', {}),
    'data.properties.id: ',
  ],
  ['the format of a field', `${fields}at`, drop('format'), 'properties.at.format: '],
  [
    'a value of an answer',
    `${fields}status`,
    put('enum', ['pending', 'approved', 'x']),
    'properties.status.enum: ',
  ],
  ['any value', `${fields}status`, drop('enum'), 'properties.status.enum: '],
  [
    'a field deep within',
    `${fields}sizes>items>properties`,
    drop('w'),
    'properties.sizes.items.properties.w: ',
  ],
  ['a field of a request', `${sent}properties`, drop('note'), 'schema.properties.note: '],
  ['a field that must be sent', sent, put('required', ['decision', 'note']), 'schema.required: '],
  ['the type of a request', `${sent}properties>note`, put('type', 'integer'), 'properties.note.type: '],
  ['no null any more', `${sent}properties>lat`, put('anyOf', [{ type: 'number' }]), 'properties.lat.type: '],
  ['a value of a request', `${sent}properties>decision`, put('enum', ['approve']), 'decision.enum: '],
  ['an enum of a request', `${sent}properties>note`, put('enum', ['a']), 'note.enum: '],
  ['a lower maximum', `${sent}properties>note`, put('maxLength', 99), 'note.maxLength: '],
  ['a new minimum', `${sent}properties>note`, put('minLength', 1), 'note.minLength: '],
  ['a new pattern', `${sent}properties>note`, put('pattern', '^a'), 'note.pattern: '],
  [
    'a media type of a request',
    'paths>/v2/images>post>requestBody>content',
    drop('application/json'),
    'requestBody.content',
  ],
  [
    'a body that must be sent',
    'paths>/v2/images>post>requestBody',
    put('required', true),
    'requestBody.required: ',
  ],
  [
    'a parameter',
    `${get}parameters`,
    (node) => void (node as unknown as Node[]).pop(),
    "parameters['query status']: ",
  ],
  [
    'a parameter that must be sent',
    `${get}parameters>0`,
    put('required', true),
    "parameters['query limit'].required: ",
  ],
  [
    'a lower limit',
    `${get}parameters>0>schema`,
    put('maximum', 100),
    "parameters['query limit'].schema.maximum: ",
  ],
  ['a further scope', `${get}security>1`, put('oauth', ['images:read', 'images:write']), '.get.security: '],
  [
    'a credential',
    get,
    put('security', [{ oauth: ['images:read'] }]),
    '.get.security: no longer open by apiKey',
  ],
  [
    'a credential where none was asked for',
    'paths>/v2/trails>get',
    put('security', [{ apiKey: [] }]),
    "['/v2/trails'].get.security: ",
  ],
]

const harmless: readonly [string, string, (node: Node) => void][] = [
  ['a path', 'paths', put('/v2/new', { get: { responses: {} } })],
  ['a method', 'paths>/v2/trails', put('delete', { responses: {} })],
  ['a status', `${get}responses`, put('202', {})],
  ['a refusal that is gone', `${get}responses`, drop('404')],
  ['a media type', `${get}responses>200>content`, put('text/csv', {})],
  ['a field of an answer', fields, put('new', { type: 'string' })],
  [
    'a field that is always there',
    'components>schemas>Image',
    put('required', ['id', 'status', 'lat', 'at']),
  ],
  ['an integer for a number', `${fields}lat`, put('anyOf', [{ type: 'integer' }, { type: 'null' }])],
  ['no null any more in an answer', `${fields}lat`, put('anyOf', [{ type: 'number' }])],
  ['fewer values of an answer', `${fields}status`, put('enum', ['pending'])],
  [
    'an alternative where more may come',
    `${fields}data>anyOf`,
    (node) => void (node as unknown as Node[]).push({ type: 'object', properties: { other: {} } }),
  ],
  ['a value where more may come', `${fields}kind`, put('enum', ['a', 'b'])],
  ['a field that may be sent', `${sent}properties`, put('new', { type: 'string' })],
  ['a field that may be left out', sent, put('required', [])],
  ['a value of a request', `${sent}properties>decision`, put('enum', ['approve', 'reject', 'x'])],
  ['a higher maximum', `${sent}properties>note`, put('maxLength', 101)],
  ['no maximum', `${sent}properties>note`, drop('maxLength')],
  ['a wider type of a request', `${sent}properties>note`, put('type', ['string', 'null'])],
  [
    'a parameter',
    `${get}parameters`,
    (node) => void (node as unknown as Node[]).push({ name: 'q', in: 'query' }),
  ],
  ['a credential more', get, put('security', [{ apiKey: [] }, { oauth: ['images:read'] }, { session: [] }])],
  ['a scope less', `${get}security>1`, put('oauth', [])],
  ['no credential', get, put('security', [{}])],
  ['words', `${fields}id`, put('description', 'Other words.')],
  ['null said as a type', `${fields}lat`, put('anyOf', [{ type: ['number', 'null'] }])],
  [
    'a parameter that is a component',
    '',
    ({ components, paths }) => {
      const { get: operation } = (paths as Record<string, Record<string, Node>>)['/v2/images'] ?? {}
      const { parameters = [], responses = {} } = operation as { parameters?: Node[]; responses?: Node }
      Object.assign(components as Node, {
        parameters: { limit: parameters[0] },
        responses: { List: responses['200'] },
      })
      parameters[0] = { $ref: '#/components/parameters/limit' }
      responses['200'] = { $ref: '#/components/responses/List' }
    },
  ],
]

describe('C41: changes of the document', () => {
  it('finds nothing between two equal ones', () => {
    assert.deepEqual(breakingChanges(released, structuredClone(released)), [])
  })

  for (const [what, path, alter, where] of breaking)
    it(`finds what breaks clients: ${what}`, () => {
      const found = breakingChanges(released, changed(path, alter))
      assert.equal(found.length, 1, JSON.stringify(found))
      assert.ok(
        found.every((text) => text.startsWith('$.paths') && text.includes(where)),
        found.join(),
      )
    })

  for (const [what, path, alter] of harmless)
    it(`allows what is new or wider: ${what}`, () => {
      assert.deepEqual(breakingChanges(released, changed(path, alter)), [])
    })

  it('no client of the released document breaks with the current one', async () => {
    const found = breakingChanges(await readSnapshot(releasedFile), await readSnapshot(snapshotFile))
    const corrections = await readSnapshot(correctionsFile)
    assert.deepEqual(found, corrections, 'a breaking change takes a new prefix (C41; decision 0132)')
  })
})
