// Trails as files over HTTP, for the tests of imports and exports.
import assert from 'node:assert/strict'
import type { Person, Waymark } from '../helpers/waymark.ts'
import { jsonOf, lineOf, type ImportDocument } from './trail-client.ts'

export const geojson = 'application/geo+json'
export const line = lineOf([7, 46], [7.1, 46.1])

export const collection = (...features: unknown[]): string =>
  JSON.stringify({ type: 'FeatureCollection', features })

export const feature = (properties: unknown, geometry: unknown = null) => ({
  type: 'Feature',
  geometry,
  properties,
})

export interface ImportOptions {
  readonly type?: string
  readonly query?: string
}

export function createTrailFiles(waymark: Waymark, { token }: Person) {
  const send = (body: string | Buffer, { type = 'text/csv', query = '' }: ImportOptions = {}) =>
    waymark.fetch(`/v2/admin/trails/import${query}`, {
      method: 'POST',
      token,
      headers: { 'content-type': type },
      body,
    })

  async function taken(body: string, options: ImportOptions = {}): Promise<ImportDocument> {
    const answer = await send(body, options)
    assert.equal(answer.status, 200, await answer.clone().text())
    return jsonOf(answer)
  }

  return {
    send,
    /** Imports, which must succeed. */
    taken,
    dry: (body: string, type = 'text/csv') => taken(body, { type, query: '?dryRun=true' }),

    exported: async (format: string): Promise<string> => {
      const answer = await waymark.fetch(`/v2/trails.${format}`, { token })
      assert.equal(answer.status, 200)
      return answer.text()
    },

    /** Deletes all trails. */
    emptied: async (): Promise<void> => {
      const { db } = waymark.installation.database
      await db.deleteFrom('trail_line').execute()
      await db.deleteFrom('trail').execute()
    },
  }
}

export type TrailFiles = ReturnType<typeof createTrailFiles>
