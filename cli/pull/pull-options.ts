// Parses the options of `waymark pull`: trails, secrets from files, tokens of accounts.
import { access, constants, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fail, isSystemError, systemSentence, wrongUsage } from '../failures.ts'
import { canonicalId } from '../options.ts'
import { readTrailFile } from '../trail-file.ts'
import type { WantedRoutes } from './pull-routes.ts'
import type { WantedTrail } from './pull-trail.ts'

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw isSystemError(error) ? fail('wrong-file', systemSentence(error)) : error
  }
}

function requireSecret(text: string, source: string): string {
  const secret = text.trim()
  // Other characters would need escaping in a header or a query.
  if (secret !== '' && /^[\x21-\x7e]+$/.test(secret)) return secret
  throw wrongUsage(`${source} must be one line of ASCII characters without spaces.`)
}

/** `@FILE` reads the secret from a file: process arguments are visible to every user of the machine. */
export async function readSecret(value: string, option: string): Promise<string> {
  if (!value.startsWith('@')) return requireSecret(value, option)
  return requireSecret(await readText(value.slice(1)), `${option} ${value}`)
}

/** An unwritable report is detected now, not after hours. @throws one sentence. */
export async function requireReportPlace(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file))
  try {
    await access(folder, constants.W_OK)
  } catch (error) {
    throw isSystemError(error) ? fail('wrong-file', systemSentence(error)) : error
  }
}

const wrongToken = (): Error =>
  wrongUsage(
    '--token must be ACCTID=TOKEN, ACCTID=@FILE, or a file with a line ACCTID=TOKEN for each account.',
  )

async function readPair(text: string): Promise<WantedRoutes> {
  const at = text.indexOf('=')
  const accountId = canonicalId(text.slice(0, at).trim())
  if (at < 0 || accountId === undefined) throw wrongToken()
  return { accountId, token: await readSecret(text.slice(at + 1).trim(), '--token') }
}

async function readTokens(value: string): Promise<WantedRoutes[]> {
  if (/^\d+\s*=/.test(value)) return [await readPair(value)]
  const lines = (await readText(value)).split(/\r?\n/).map((line) => line.trim())
  return Promise.all(lines.filter((line) => line !== '' && !line.startsWith('#')).map(readPair))
}

/** @throws a usage failure if an account has two tokens. */
export async function readAllTokens(values: readonly string[]): Promise<WantedRoutes[]> {
  const tokens = (await Promise.all(values.map(readTokens))).flat()
  const accounts = new Set<number>()
  for (const { accountId } of tokens) {
    if (accounts.has(accountId)) throw wrongUsage(`--token is given twice for account ${accountId}.`)
    accounts.add(accountId)
  }
  return tokens
}

/** Reads --trails. */
export function trailsOption(text: string): number[] {
  return text.split(',').map((word) => {
    const id = canonicalId(word.trim())
    if (id === undefined) throw wrongUsage('--trails must be comma-separated trail IDs.')
    return id
  })
}

/** Reads --same-people. */
export function samePeopleOption(text: string): number[] | 'all' {
  if (text === 'all') return 'all'
  return text.split(',').map((word) => {
    const id = canonicalId(word.trim())
    if (id === undefined) throw wrongUsage('--same-people must be comma-separated account IDs, or all.')
    return id
  })
}

export interface TrailOptions {
  readonly trails?: readonly number[]
  readonly trailsFile?: string
}

/** In the order given, without duplicates. The file can name trails that have no images. */
export async function readWantedTrails({ trails = [], trailsFile }: TrailOptions): Promise<WantedTrail[]> {
  const wanted = new Map<number, WantedTrail>(trails.map((id) => [id, { id }]))
  const inFile = trailsFile === undefined ? [] : await readTrailFile(trailsFile)
  for (const { id, name, slug } of inFile) if (id !== undefined) wanted.set(id, { id, name, slug })
  return [...wanted.values()]
}
