// `waymark doctor`: which map is active, settings that an admin's choice overrides, and problems.
import { existsSync } from 'node:fs'
import { describeChoice, mapFilesOf } from '../src/base-map/map-choice.ts'
import { createSiteMap } from '../src/base-map/site-map.ts'
import { openDatabase } from '../src/database/open-database.ts'
import type { Database } from '../src/database/database.ts'
import { schemaOf } from '../src/database/migrate.ts'
import type { Config } from '../src/settings/config.ts'
import type { SiteMap } from '../src/shared/v2/site-map-schemas.ts'
import { failure, good, warning, type Verdict } from './doctor-verdicts.ts'

/** Another check reports database problems. */
async function openIfThere({ databasePlace }: Config): Promise<Database | undefined> {
  if (databasePlace.engine === 'sqlite' && !existsSync(databasePlace.file)) return undefined
  const database = await openDatabase(databasePlace).catch(() => undefined)
  if (database && (await schemaOf(database).catch(() => undefined)) === undefined) {
    await database.close()
    return undefined
  }
  return database
}

function verdictOn({ choice, setting, changedAt, files, trouble }: SiteMap, config: Config): Verdict {
  const { base } = mapFilesOf(config)
  const isSet = config.mapPmtiles !== undefined || config.mapStyleUrl !== undefined
  const isOther = choice.kind !== setting.kind || choice.url !== setting.url
  const overruled =
    changedAt !== null && isSet && isOther
      ? ` An admin chose that; by the settings, ${describeChoice(setting, base).replace('Maps', 'maps')}`
      : ''
  if (trouble !== null) return (choice.kind === 'file' ? failure : warning)(`${trouble}${overruled}`)
  const shown = `${describeChoice(choice, base)}${overruled}`
  if (files.terrain === null) return good(shown)
  const { path, trouble: terrainTrouble } = files.terrain
  return terrainTrouble === null
    ? good(`${shown} Terrain is there.`)
    : warning(`${shown} The terrain ${path} cannot be shown: ${terrainTrouble}`)
}

export async function checkMap(config: Config): Promise<Verdict> {
  const database = await openIfThere(config)
  try {
    const siteMap = createSiteMap({ db: database?.db, now: Date.now, settings: config })
    return verdictOn(await siteMap.describe(), config)
  } finally {
    await database?.close()
  }
}
