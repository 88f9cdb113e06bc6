// Imports several GPX files at once: each creates a route or is reported with the reason why not, and none stops the
// others.
import { countCharacters, replaceForbidden } from '../../shared/text/characters.ts'
import { decodingGpx } from '../../shared/gpx/gpx-encoding.ts'
import { runYielding } from '../../shared/yielding.ts'
import type { ImportResult } from '../../shared/v2/route-schemas.ts'
import { maxNameLength } from '../../shared/classic/route-kinds.ts'
import type { Db } from '../../database/database.ts'
import { Refusal, refuse } from '../../errors.ts'
import { releaseMemory } from '../../http/bodies/release-memory.ts'
import type { SentFile } from '../../http/bodies/multipart.ts'
import { problemOf } from '../../http/problem.ts'
import { findNearDuplicates, findRoute } from '../route-table.ts'
import { digestOf } from './prepared-gpx.ts'
import type { Routes } from '../routes.ts'
import type { PageLanguage } from '../../texts/request-language.ts'

export interface ImportDependencies {
  readonly db: Db
  readonly routes: Routes
  readonly publicUrl: string
  readonly maxGpxBytes: number
}

/** The target of the import, and the Idempotency-Key of the whole request. */
export interface ImportTarget {
  readonly accountId: number
  readonly path: string
  readonly key: string | undefined
  readonly requestId: string
  readonly language: PageLanguage
}

/** `Rim Trail.gpx` → `Rim Trail`. */
function nameOfFile(file: string): string {
  const name = replaceForbidden(file.replace(/\.(gpx|xml)$/i, ''))
  return countCharacters(name) <= maxNameLength ? name : ''
}

export function createImport({ db, routes, publicUrl, maxGpxBytes }: ImportDependencies) {
  async function importFile(
    { name, bytes, isTooLong }: SentFile,
    { accountId, path, key }: ImportTarget,
    index: number,
  ): Promise<ImportResult> {
    if (isTooLong) {
      throw refuse('invalid-field', { detail: `A GPX file may be at most ${maxGpxBytes} bytes.` })
    }
    const bodySha256 = key === undefined ? '' : await digestOf(bytes)
    const text = await runYielding(decodingGpx(bytes))
    releaseMemory(bytes)
    if (!text.ok) throw refuse(text.fault.code, { detail: text.fault.detail })
    if (text.value.trim() === '') throw refuse('invalid-field', { detail: 'The file is empty.' })
    // Each file has its own key: a repeated request finds the routes created the first time, and creates the others.
    const target = { accountId, path: `${path}/${index}`, key }
    const fields = { gpx: text.value, fallbackName: nameOfFile(name) }
    const { routeId } = await routes.create(target, fields, bodySha256)
    const route = await findRoute(db, routeId)
    const alike = route?.geometryHash ? await findNearDuplicates(db, accountId, [route.geometryHash]) : []
    return {
      file: name,
      routeID: routeId,
      name: route?.name ?? '',
      duplicates: alike.map(({ id }) => id).filter((id) => id !== routeId),
      warnings: [...(route?.measures.warnings ?? [])],
    }
  }

  function problemIn(refusal: Refusal, file: string, { requestId, language }: ImportTarget): ImportResult {
    const { type, title, status, detail } = problemOf(refusal, publicUrl, requestId, language)
    return { file, problem: { type, title, status, detail } }
  }

  /**
   * @param inTurn runs the work on a file of this many bytes when there is capacity.
   * @returns a result for each file, in order. If the body breaks off after some files, their results are returned,
   * followed by the problem, so that stored routes are reported.
   * @throws the refusal of a body that breaks off before the first file ends, or has none.
   */
  return async function importFiles(
    files: AsyncIterable<SentFile>,
    inTurn: <T>(bytes: number, work: () => Promise<T>) => Promise<T>,
    target: ImportTarget,
  ): Promise<ImportResult[]> {
    const results: ImportResult[] = []
    try {
      for await (const file of files) {
        try {
          const index = results.length
          results.push(await inTurn(file.bytes.length, () => importFile(file, target, index)))
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          results.push(problemIn(error, file.name, target))
        }
      }
    } catch (error) {
      if (!(error instanceof Refusal) || results.length === 0) throw error
      results.push(problemIn(error, '', target))
    }
    if (results.length === 0) throw refuse('invalid-field', { detail: 'The body contains no file.' })
    return results
  }
}

export type ImportFiles = ReturnType<typeof createImport>
