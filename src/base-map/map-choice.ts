// The base map: an admin's choice, otherwise the settings. Read at each use, like other site settings.
import { access } from 'node:fs/promises'
import path from 'node:path'
import type { AuditActor } from '../accounts/audit/audit.ts'
import type { Db } from '../database/database.ts'
import type { SiteMapChoice } from '../shared/v2/site-map-schemas.ts'
import { readChoice, saveChoice } from '../site-settings/site-settings.ts'

/** As in the settings of the same names. */
export interface MapSettings {
  readonly dataDir: string
  readonly mapPmtiles: string | undefined
  readonly mapStyleUrl: string | undefined
  readonly mapStyleOrigins: readonly string[]
}

export type MapFileName = 'base' | 'terrain'

/** The files that pages show. They may appear and disappear while the server runs. */
export function mapFilesOf({ dataDir, mapPmtiles }: Pick<MapSettings, 'dataDir' | 'mapPmtiles'>) {
  const usual = (name: MapFileName): string => path.join(dataDir, 'map', `${name}.pmtiles`)
  return { base: mapPmtiles ?? usual('base'), terrain: usual('terrain') } as const
}

interface StoredMap extends SiteMapChoice {
  /** The origins named by the style when it was chosen. */
  readonly origins?: readonly string[]
}

export interface MapInForce {
  readonly choice: SiteMapChoice
  /** Null if no admin has chosen: then the settings apply. */
  readonly changedAt: number | null
  readonly setting: SiteMapChoice
  /** Other origins from which pages may load maps. */
  readonly origins: readonly string[]
}

async function settingOf(settings: MapSettings): Promise<SiteMapChoice> {
  if (settings.mapStyleUrl !== undefined) return { kind: 'style', url: settings.mapStyleUrl }
  if (settings.mapPmtiles !== undefined) return { kind: 'file' }
  const isThere = await access(mapFilesOf(settings).base).then(
    () => true,
    () => false,
  )
  return { kind: isThere ? 'file' : 'none' }
}

const originsOfSetting = ({ mapStyleUrl, mapStyleOrigins }: MapSettings): readonly string[] =>
  mapStyleUrl === undefined ? [] : [new URL(mapStyleUrl).origin, ...mapStyleOrigins]

/** @param db undefined if there is no database yet. */
export async function readMap(db: Db | undefined, settings: MapSettings): Promise<MapInForce> {
  const stored = db && (await readChoice(db, 'map'))
  const setting = await settingOf(settings)
  if (!stored) {
    const origins = setting.kind === 'style' ? originsOfSetting(settings) : []
    return { choice: setting, changedAt: null, setting, origins }
  }
  const { origins = [], ...choice } = stored.value as StoredMap
  return { choice, changedAt: stored.changedAt, setting, origins }
}

/** One sentence for people. @param file of the map. */
export function describeChoice({ kind, url }: SiteMapChoice, file: string): string {
  if (kind === 'style') return `Maps show the style ${url}.`
  return kind === 'file' ? `Maps show the map file ${file}.` : 'Maps show only country outlines.'
}

/** @throws refusal `read-only`. */
export async function saveMap(
  db: Db,
  map: StoredMap,
  doing: { readonly by: AuditActor; readonly at: number },
): Promise<void> {
  await saveChoice(db, 'map', map, doing)
}
