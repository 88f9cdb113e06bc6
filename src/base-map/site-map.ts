// The site's map: chosen by an admin, provided to pages, and monitored.
import type { AuditActor } from '../accounts/audit/audit.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { createAddressPolicy } from '../events/webhooks/addresses.ts'
import { readTarget, type Resolve } from '../events/webhooks/target.ts'
import type { SiteInfo } from '../shared/v2/site-schemas.ts'
import { maxStyleUrlLength, type SiteMap, type SiteMapChoice } from '../shared/v2/site-map-schemas.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import { mapFilesOf, readMap, saveMap, type MapInForce, type MapSettings } from './map-choice.ts'
import { createMapFile } from './map-file.ts'
import { originsOfStyle, troubleWithStyle } from './map-style.ts'
import { createGuardedReader, createReader, type Send } from './read-json.ts'
import { findTrailsBox } from './trails-box.ts'

export interface SiteMapSettings extends MapSettings {
  readonly publicUrl: string
  readonly imageHandlerUrl: string
  readonly webhookAllow: readonly string[]
}

export interface SiteMapDependencies {
  /** Undefined for `waymark doctor` if there is none yet. */
  readonly db: Db | undefined
  readonly now: () => number
  readonly settings: SiteMapSettings
  /** Replaces the network in tests. */
  readonly resolve?: Resolve | undefined
  readonly send?: Send | undefined
}

/** A style is not read again for this long, however often admins look. */
const lookedAtForMs = 300_000
/** Hosts that are valid in the header: its grammar does not allow IPv6 addresses. */
const plainOrigin = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/

const isSame = (one: MapInForce, other: MapInForce): boolean => JSON.stringify(one) === JSON.stringify(other)

export function createSiteMap({ db, now, settings, resolve, send }: SiteMapDependencies) {
  const { publicUrl, imageHandlerUrl } = settings
  const ours = new URL(publicUrl).origin
  const addressPolicy = createAddressPolicy(settings.webhookAllow)
  const files = mapFilesOf(settings)
  const base = createMapFile({ name: 'base', file: files.base, publicUrl })
  const terrain = createMapFile({ name: 'terrain', file: files.terrain, publicUrl })
  const readGuarded = createGuardedReader(ours, { addressPolicy, resolve })
  let looked:
    | { readonly of: string; readonly at: number; readonly trouble: Promise<string | undefined> }
    | undefined

  const inForce = (): Promise<MapInForce> => readMap(db, settings)

  /** @throws refusal `invalid-field` with one sentence. */
  async function originsAllowed(url: string): Promise<readonly string[]> {
    const cannot = (why: string): Error =>
      refuse('invalid-field', { detail: `The map style ${url} cannot be used: it ${why}.` })
    const origins = await originsOfStyle(url, readGuarded).catch((error: unknown) => {
      throw cannot(error instanceof Error ? error.message : String(error))
    })
    for (const origin of origins) {
      const reading = readTarget(origin, addressPolicy)
      if ('whyNot' in reading) throw cannot(`loads from ${origin}, which ${reading.whyNot}`)
      // Browsers block it on https pages. Names are not resolved here, so only IP addresses can be allowed.
      if (origin.startsWith('http:') && addressPolicy.classify(new URL(origin).hostname) !== 'allowed')
        throw cannot(`loads from ${origin}, which is not https`)
      if (!plainOrigin.test(origin)) throw cannot(`loads from ${origin}, which cannot be named in a policy`)
    }
    return origins.filter((origin) => origin !== ours)
  }

  function requireUrl({ kind, url }: SiteMapChoice): string {
    const detail =
      kind === 'style'
        ? `The field url must be an https URL of at most ${maxStyleUrlLength} characters.`
        : 'The field url is only for the kind style.'
    const isRight = kind === 'style' ? url !== undefined && URL.canParse(url) : url === undefined
    if (!isRight) throw refuse('invalid-field', { detail })
    return url === undefined ? '' : new URL(url).href
  }

  async function storedFormOf(wanted: SiteMapChoice) {
    const url = requireUrl(wanted)
    if (wanted.kind === 'style') return { kind: 'style', url, origins: await originsAllowed(url) } as const
    if (wanted.kind === 'none') return { kind: 'none' } as const
    const file = await base.describe()
    if (file === null || file.trouble !== null)
      throw refuse('invalid-field', {
        detail:
          file?.trouble === undefined
            ? `There is no map file at ${files.base}: make one with "waymark map extract".`
            : `The map file ${files.base} cannot be used: ${file.trouble}`,
      })
    return { kind: 'file' } as const
  }

  /** The map that pages show now; checked at most every few minutes. */
  async function trouble({ choice, origins, changedAt }: MapInForce): Promise<string | undefined> {
    if (choice.kind === 'file') {
      const file = await base.describe()
      if (file === null) return `There is no map file at ${files.base}: maps show country outlines.`
      return file.trouble === null ? undefined : `The map file ${files.base} cannot be shown: ${file.trouble}`
    }
    if (choice.kind === 'none' || choice.url === undefined) return undefined
    const of = JSON.stringify([choice.url, origins, changedAt])
    if (looked?.of === of && now() - looked.at < lookedAtForMs) return looked.trouble
    const isChosen = changedAt !== null
    const allowed = [ours, new URL(imageHandlerUrl).origin, ...origins]
    const found = troubleWithStyle(
      { url: choice.url, allowed, isChosen },
      isChosen ? readGuarded : createReader(ours, send),
    )
    looked = { of, at: now(), trouble: found }
    return found
  }

  async function describe(): Promise<SiteMap> {
    const map = await inForce()
    const [baseFile, terrainFile, box, whatIsWrong] = await Promise.all([
      base.describe(),
      terrain.describe(),
      db && findTrailsBox(db),
      trouble(map),
    ])
    const { choice, setting, origins, changedAt } = map
    return {
      choice,
      changedAt: changedAt === null ? null : writeTimestamp(changedAt),
      setting,
      origins: [...origins],
      trouble: whatIsWrong ?? null,
      files: { base: baseFile, terrain: terrainFile },
      trailsBox: box ? [box.west, box.south, box.east, box.north] : null,
    }
  }

  return {
    files: [base, terrain] as const,
    describe,
    inForce,

    /** Its problem, for the log at startup. */
    trouble: async (): Promise<string | undefined> => trouble(await inForce()),

    /** Whether neither an admin nor a setting has chosen, and there is no file either. */
    isUndecided: async (): Promise<boolean> => {
      const { changedAt, setting } = await inForce()
      return changedAt === null && setting.kind === 'none'
    },

    /** The configuration for pages. */
    info: async (): Promise<SiteInfo['map']> => {
      const { choice } = await inForce()
      if (choice.kind === 'none') return { pmtiles: null, terrain: null, styleUrl: null }
      const [pmtiles, heights] = await Promise.all([base.address(), terrain.address()])
      return { pmtiles, terrain: heights, styleUrl: choice.url ?? null }
    },

    /** Other origins from which pages may load. */
    origins: async (): Promise<readonly string[]> => (await inForce()).origins,

    /**
     * @param expected the state before the body was read, if the client sent a condition.
     * @throws refusals `invalid-field`, `precondition-failed`, `read-only`.
     */
    choose: async (by: AuditActor, wanted: SiteMapChoice, expected?: MapInForce): Promise<SiteMap> => {
      const stored = await storedFormOf(wanted)
      await db?.transaction().execute(async (tx) => {
        // Of two changes with the same If-Match, one wins.
        if (expected && !isSame(expected, await readMap(tx, settings))) throw refuse('precondition-failed')
        await saveMap(tx, stored, { by, at: now() })
      })
      looked = undefined
      return describe()
    },
  }
}

export type SiteMaps = ReturnType<typeof createSiteMap>
