// Trails as files: POST /v2/admin/trails/import with its dry run, GET /v2/trails.csv and /v2/trails.geojson.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { auditActorOf, permit } from '../auth/guard.ts'
import { runYielding } from '../shared/yielding.ts'
import { readingJsonText } from '../shared/json/json.ts'
import type { LongText } from '../shared/text/long-text.ts'
import type { Reading } from '../shared/classic/reading.ts'
import { decodingLongText } from '../shared/text/text-encoding.ts'
import { withTurns } from '../shared/text/text-chunks.ts'
import { notBlank, sentGeometryRule } from '../shared/v2/openapi-rules.ts'
import { TrailCollection, TrailImport } from '../shared/v2/trail-schemas.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { declaredType, readBody } from '../http/codec.ts'
import { releaseMemory } from '../http/bodies/release-memory.ts'
import { partOfFile, partRefusals, v2Operation } from '../http/openapi/openapi.ts'
import { queryWord } from '../http/paging.ts'
import { isNotModified, secretly, sendMeasured } from '../http/representation.ts'
import type { FileReading } from './file-trail.ts'
import { createExportCosts } from './export-costs.ts'
import { exportFormats, exportChunks, type ExportFormat } from './trail-exports.ts'
import { inOrderOfFile } from './trail-checks.ts'
import { refusalOf, type Trails } from './trails.ts'
import { readTrailsCsv } from './trails-csv.ts'
import { namesRead, readTrailsGeojson } from './trails-geojson.ts'
import { importDocument } from './v2-present.ts'

export interface TrailFileEndpointsDependencies {
  readonly db: Db
  readonly trails: Trails
  /** The setting MAX_IMPORT_BYTES. */
  readonly maxImportBytes: number
}

/** What a server reads at once without blocking others for long; larger files are for the command line. */
const maxValues = 1_000_000
const maxTrails = 10_000

function valueOf<T>(reading: Reading<T>): T {
  if (reading.ok) return reading.value
  throw refuse(reading.fault.code, { detail: reading.fault.detail })
}

async function readGeojson(text: LongText): Promise<FileReading> {
  const collection = valueOf(await runYielding(readingJsonText(text, { maxValues, names: namesRead })))
  return readTrailsGeojson(collection, { maxTrails })
}

const readers: Readonly<Record<string, (text: LongText) => Promise<FileReading>>> = {
  'text/csv': (text) => readTrailsCsv(text, { maxTrails }),
  'application/geo+json': readGeojson,
}

/** @throws refusals `unsupported-media-type`, `body-too-large`, `malformed-body`. */
async function readFile(request: FastifyRequest, maxBytes: number): Promise<FileReading> {
  const read = readers[declaredType(request).essence ?? '']
  if (!read)
    throw refuse('unsupported-media-type', {
      detail: 'Trails must be sent as text/csv or application/geo+json.',
    })
  const bytes = await readBody(request, maxBytes)
  const text = valueOf(await runYielding(decodingLongText(bytes, 'utf-8')))
  releaseMemory(bytes)
  try {
    return await read(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refuse('malformed-body', { detail: `${capitalised(error.message)}.`, cause: error })
  }
}

const capitalised = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)

const importQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: ['true', 'false'],
      default: 'false',
      description: 'true: only report what the import would do.',
    }),
  ),
})

const text = { type: 'string', description: 'The file.' }
/** Other properties, other geometries and other names for the ID are ignored or accepted. */
const sentCollection = {
  type: 'object',
  properties: {
    type: { const: 'FeatureCollection' },
    features: {
      type: 'array',
      maxItems: maxTrails,
      items: {
        type: 'object',
        properties: {
          type: { const: 'Feature' },
          properties: {
            type: 'object',
            properties: {
              trailID: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
              name: { type: 'string', minLength: 1, maxLength: 256, pattern: notBlank },
            },
            required: ['trailID', 'name'],
          },
          geometry: sentGeometryRule,
        },
        required: ['type', 'properties'],
      },
    },
  },
  required: ['type', 'features'],
}
const fileSchemas = { csv: text, geojson: TrailCollection } as const

export function registerTrailFileEndpoints(
  app: FastifyInstance,
  { db, trails, maxImportBytes }: TrailFileEndpointsDependencies,
): void {
  app.post(
    '/v2/admin/trails/import',
    {
      config: { access: { credential: 'bearer', action: 'manage-trails' }, hasLargeBody: true },
      schema: {
        ...v2Operation({
          summary: 'Import trails from a file',
          description:
            'For admins. CSV with the header trailID,name,slug (and optionally description), or a GeoJSON FeatureCollection with the lines. Adds and updates trails, all or none; never deletes any. A dry run lists all problems; otherwise the first one is the error.',
          query: importQuery,
          answer: TrailImport,
          refusals: [
            'insufficient-scope',
            'forbidden',
            'read-only',
            'invalid-query',
            'malformed-body',
            'invalid-field',
            'body-too-large',
            'request-timeout',
            'unsupported-media-type',
          ],
        }),
        body: {
          content: { 'text/csv': { schema: text }, 'application/geo+json': { schema: sentCollection } },
        },
      },
    },
    async (request, reply) => {
      permit(request.actor, 'manage-trails')
      const isDryRun = queryWord(request, 'dryRun', ['true', 'false']) === 'true'
      const file = await readFile(request, maxImportBytes)
      if (isDryRun) {
        const plan = await trails.planAll(file.trails)
        const problems = inOrderOfFile([...file.problems, ...plan.problems])
        return secretly(reply).send(importDocument({ ...plan, problems }, { isApplied: false }))
      }
      if (file.problems.length > 0) {
        const { problems } = await trails.planAll(file.trails)
        const refusal = refusalOf(inOrderOfFile([...file.problems, ...problems]))
        if (refusal) throw refusal
      }
      const plan = await trails.importAll(file.trails, auditActorOf(request.actor))
      return secretly(reply).send(importDocument(plan, { isApplied: true }))
    },
  )

  const costs = createExportCosts()
  const registerExport = (format: ExportFormat): void => {
    const mediaType = exportFormats[format]
    const operation = v2Operation({
      summary: `Export all trails as ${format === 'csv' ? 'CSV' : 'GeoJSON'}`,
      description: 'In the format of the import, ordered by ID.',
      refusals: ['insufficient-scope', ...(format === 'geojson' ? partRefusals : [])],
    })
    const { 204: _, ...problems } = operation.response as Record<string, object>
    const response: Record<string, object> = {
      200: { description: 'The file.', content: { [mediaType]: { schema: fileSchemas[format] } } },
      ...(format === 'geojson' && partOfFile(mediaType)),
      ...problems,
    }
    app.get(
      `/v2/trails.${format}`,
      {
        config: { access: { credential: 'reader', action: 'list-trails', isForVisitors: true } },
        schema: { ...operation, response },
      },
      async (request, reply) => {
        permit(request.actor, 'list-trails')
        void secretly(reply)
          .header('Content-Type', `${mediaType}; charset=utf-8`)
          .header('Content-Disposition', `attachment; filename="trails.${format}"`)
        // For HEAD, Fastify would generate the whole body and discard it; a GeoJSON file knows its length.
        if (request.method === 'HEAD' && format === 'csv') return reply.send(Readable.from([]))
        request.charge(costs.costOf(format))
        const chunks = costs.measured(format, exportChunks(db, format))
        if (format === 'csv') return reply.send(Readable.from(withTurns(chunks), { objectMode: false }))
        const body = await request.server.measuredBodies.gather(chunks)
        const etag = body.sha256 === undefined ? undefined : `"${body.sha256.slice(0, 27)}"`
        if (etag !== undefined) void reply.header('ETag', etag)
        if (etag !== undefined && isNotModified(request, etag)) {
          body.discard()
          return reply.code(304).send()
        }
        return sendMeasured(request, reply, { body, etag: etag ?? '' })
      },
    )
  }
  registerExport('csv')
  registerExport('geojson')
}
