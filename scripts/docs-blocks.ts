// The generated blocks of the docs: settings, refusals, endpoints, sizes, events and metrics, each from the table that
// the code itself uses.
import { imageSizes, sizeRules, type SizeRule } from '../src/shared/image-sizes.ts'
import { eventKinds, type EventAccess } from '../src/shared/event-types.ts'
import { settings } from '../src/settings/config.ts'
import { refusals } from '../src/errors.ts'
import { maxNeeded, type MeasuredPair } from './contrast.ts'
import type { MetricDescription } from '../src/metrics/registry.ts'

/** The part of an OpenAPI document that the endpoints block uses. */
export interface Documented {
  readonly paths?: Readonly<
    Record<string, Readonly<Record<string, { summary?: string; security?: object[] }>>>
  >
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Settings that many sites change; the defaults of the others fit almost all sites. */
const commonSettings: ReadonlySet<string> = new Set([
  'PORT',
  'HOST',
  'DATA_DIR',
  'PUBLIC_URL',
  'DATABASE_URL',
  'BLOB_URL',
  'SECRET_FILE',
  'TRUST_PROXY',
  'SIGN_UP',
  'SMTP_URL',
  'MAIL_FROM',
  'SITE_NAME',
  'MAP_PMTILES',
  'MAP_STYLE_URL',
  'EDITED_PHOTOS',
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD_FILE',
  'STAFF_SIGN_IN',
  'METRICS_ALLOW',
  'RATE_LIMIT_FACTOR',
])

/**
 * Shows the defaults with no other setting.
 * @param isCommon selects the common or the other settings.
 */
function settingsBlock(isCommon: boolean): string {
  const byVariable = new Map(Object.values(settings).map((entry) => [entry.variable, entry]))
  const lookup = (variable: string): string => byVariable.get(variable)?.standard(lookup) ?? ''
  const unknown = [...commonSettings].filter((variable) => !byVariable.has(variable))
  if (unknown.length > 0) throw new Error(`No such setting: ${unknown.join(', ')}`)
  const listed = Object.values(settings).filter(({ variable }) => commonSettings.has(variable) === isCommon)
  return table(
    ['variable', 'default', 'what it does'],
    listed.map(({ variable, standard, help }) => {
      const value = standard(lookup).replaceAll('\\', '/')
      return [`\`${variable}\``, value === '' ? '' : `\`${value}\``, help]
    }),
  )
}

function refusalsBlock(): string {
  return table(
    ['status', 'code', 'title', 'what it means'],
    Object.entries(refusals).map(([code, { status, title, help }]) => [
      String(status),
      `\`${code}\``,
      title,
      help,
    ]),
  )
}

function ruleInWords(rule: SizeRule): string {
  if (rule.fit === 'whole') return 'the stored format and pixels, private metadata stripped'
  if (rule.fit === 'square') return `exactly ${rule.sidePx} × ${rule.sidePx}, cropped about the centre`
  return `fits in ${rule.sidePx} × ${rule.sidePx}, never enlarged`
}

function sizesBlock(): string {
  return table(
    ['t', 'what is served'],
    imageSizes.map((size) => [`\`${size}\``, ruleInWords(sizeRules[size])]),
  )
}

const audienceTexts: Readonly<Record<EventAccess['audience'], string>> = {
  'image-viewers': 'anyone who can see the photo now, or could just before the event',
  owner: 'only its owner',
  everyone: 'every account',
}

const codes = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')

function eventsBlock(): string {
  return table(
    ['type', 'data', 'sent to', 'scope'],
    Object.values(eventKinds).map(({ types, data, audience, scope }) => [
      codes(types),
      codes(data),
      audienceTexts[audience],
      codes([scope]),
    ]),
  )
}

function credentialInWords(security: readonly object[] = []): string {
  const names: Readonly<Record<string, string>> = {
    oauth: 'bearer token',
    apiKeyInQuery: 'API key',
    pageOfThisSite: 'a page of this site',
  }
  const words = security.flatMap((way) => {
    const [[scheme, scopes] = []] = Object.entries(way)
    if (scheme === undefined) return ['none']
    const name = names[scheme]
    if (name === undefined) return []
    return [scheme === 'oauth' && String(scopes) !== '' ? `${name} (${String(scopes)})` : name]
  })
  // A session can access everything that a token can, so it is only mentioned if nothing else is accepted.
  const isForSessions = security.some((way) => 'session' in way)
  return words.length > 0 ? words.join(' or ') : isForSessions ? 'signed in, in a browser' : 'none'
}

function endpointsBlock({ paths = {} }: Documented): string {
  return table(
    ['method and path', 'what', 'credential'],
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary = '', security }]) => [
        `\`${method.toUpperCase()} ${path}\``,
        summary,
        credentialInWords(security),
      ]),
    ),
  )
}

function metricsBlock(metrics: readonly MetricDescription[]): string {
  return table(
    ['name', 'type', 'labels', 'meaning'],
    metrics.map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join(', '), help]),
  )
}

/** Sources of the blocks, besides the imported tables. */
export interface BlockSources {
  readonly documented: Documented
  readonly metrics: readonly MetricDescription[]
  readonly contrast: readonly MeasuredPair[]
}

function contrastBlock(pairs: readonly MeasuredPair[]): string {
  return table(
    ['colour', 'on', 'light', 'dark', 'needed'],
    pairs.map(({ front, back, kind, light, dark }) => [
      `\`${front}\``,
      `\`${back}\``,
      ...[light, dark, maxNeeded[kind]].map((ratio) => ratio.toFixed(1)),
    ]),
  )
}

/** All blocks by name. */
export function docsBlocks({
  documented,
  metrics,
  contrast,
}: BlockSources): Readonly<Record<string, string>> {
  return {
    settings: settingsBlock(true),
    otherSettings: settingsBlock(false),
    refusals: refusalsBlock(),
    sizes: sizesBlock(),
    events: eventsBlock(),
    endpoints: endpointsBlock(documented),
    metrics: metricsBlock(metrics),
    contrast: contrastBlock(contrast),
  }
}

/** Replaces the content of each `<!-- generated: name -->` … `<!-- end -->`. Throws for an unknown name. */
export function fillBlocks(text: string, blocks: Readonly<Record<string, string>>): string {
  return text.replaceAll(/<!-- generated: (\w+) -->[\s\S]*?<!-- end -->/g, (_whole, name: string) => {
    const block = blocks[name]
    if (block === undefined) throw new Error(`there is no block called ${name}`)
    return `<!-- generated: ${name} -->\n${block}\n<!-- end -->`
  })
}
