// `waymark doctor`: the server's environment, that is its web app, public URL, systemd unit and last start.
import * as fs from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { settingsOfLastStart } from '../src/accounts/audit/settings.ts'
import type { Db } from '../src/database/database.ts'
import { applicationFolder } from '../src/settings/application.ts'
import { describeSettings, type Config, type SettingLine } from '../src/settings/config.ts'
import { canBuild, describeMissingWebApp } from '../src/web-app/built.ts'
import { failure, good, warning, type Verdict } from './doctor-verdicts.ts'

export function checkWebApp({ webApp }: Pick<Config, 'webApp'>, root = applicationFolder): Verdict {
  if (webApp === 'off') return good('WEB_APP is off: only the API is served.')
  const missing = describeMissingWebApp(root)
  if (missing === undefined) return good('The web app is built.')
  return canBuild(root)
    ? warning('The web app is not built yet: the next start builds it.')
    : failure(missing)
}

/** Whether the host is reachable from this machine only. */
function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return (
    /(?:^|\.)localhost$/.test(address) ||
    address === '::1' ||
    (isIP(address) === 4 && address.startsWith('127.'))
  )
}

/** Without https, tokens and keys can be read on the way. */
export function checkPublicUrl({ publicUrl }: Pick<Config, 'publicUrl'>): Verdict {
  if (publicUrl.startsWith('https:')) return good(`The public URL is ${publicUrl}.`)
  if (isLoopback(new URL(publicUrl).hostname))
    return good(`The public URL is ${publicUrl}, for this machine alone.`)
  return failure(
    `PUBLIC_URL ${publicUrl} is not https, so passwords, tokens and keys are sent unencrypted: put a proxy with TLS in front, and set PUBLIC_URL to its https URL.`,
  )
}

/** A mismatch of these settings is an error, not just outdated: commands would use different data. */
const ofData: ReadonlySet<string> = new Set(['BLOB_URL', 'SECRET_FILE'])

/** Compares the settings with those of the last server start on this database. */
export async function checkLastStart(db: Db): Promise<Verdict> {
  const theirs = await settingsOfLastStart(db)
  if (theirs === undefined) return good('No server has been started on this database yet.')
  const ours = new Map(
    describeSettings()
      .filter(({ isDefault }) => !isDefault)
      .map(({ variable, value }) => [variable, value]),
  )
  const variables = [...new Set([...ours.keys(), ...Object.keys(theirs)])].toSorted()
  const differing = variables.filter((variable) => ours.get(variable) !== theirs[variable])
  if (differing.length === 0) return good('The server was last started with these settings.')
  const isWrong = differing.some((variable) => ofData.has(variable))
  const which = differing.join(', ')
  return isWrong
    ? failure(
        `The server was last started with other values of ${which}: run this command with the settings of the server (--env-file), or restart the server if they have changed.`,
      )
    : warning(
        `The server was last started with other values of ${which}: if they have changed since, restart it.`,
      )
}

const unitName = 'waymark.service'
/** systemd's search order: the first unit found is used, with all of its drop-ins. */
const unitFolders = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system']

/** In the order of their names, in whichever folder; of two with one name, the first folder's counts (systemd.unit). */
async function readDropIns(folders: readonly string[]): Promise<string[]> {
  const files = new Map<string, string>()
  for (const folder of folders.map((one) => path.join(one, `${unitName}.d`)))
    for (const name of await fs.readdir(folder).catch((): string[] => []))
      if (name.endsWith('.conf') && !files.has(name)) files.set(name, path.join(folder, name))
  const inOrder = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Promise.all(inOrder.map(([, file]) => fs.readFile(file, 'utf8')))
}

/** The unit and its drop-ins as one text; undefined if systemd has no such unit. */
export async function readUnit(folders: readonly string[] = unitFolders): Promise<string | undefined> {
  for (const folder of folders) {
    const unit = await fs.readFile(path.join(folder, unitName), 'utf8').catch(() => undefined)
    if (unit !== undefined) return [unit, ...(await readDropIns(folders))].join('\n')
  }
  return undefined
}

/** An empty value clears those before it, as in drop-ins. */
function valuesOf(unit: string, key: string): string[] {
  const values = unit
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1).trim())
  return values.slice(values.lastIndexOf('') + 1)
}

/** The variables in lines such as `Environment="A=1" B=2`. */
function environmentOf(unit: string): Map<string, string> {
  const lines = valuesOf(unit, 'Environment').join(' ')
  const words = [...lines.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
  const pairs = words.map(([, double, single, plain]) => double ?? single ?? plain ?? '')
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

export interface UnitContext {
  /** The settings file that this command has read. */
  readonly settingsFile: string
  readonly settings: readonly SettingLine[]
}

/** Commands must see the unit's variables, or a backup, check or upgrade would use other data. */
export function judgeUnit(unit: string, { settingsFile, settings }: UnitContext): Verdict {
  const files = valuesOf(unit, 'EnvironmentFile').map((file) => file.replace(/^-/, ''))
  const other = files.find((file) => file !== path.resolve(settingsFile))
  if (other !== undefined)
    return failure(
      `${unitName} reads its settings from ${other}, and this command reads ${settingsFile}: use one file, or pass --env-file.`,
    )
  const environment = environmentOf(unit)
  // As doctor shows them, without passwords.
  const theirs = new Map(
    describeSettings(Object.fromEntries(environment)).map(({ variable, value }) => [variable, value]),
  )
  const differing = settings.filter(
    ({ variable, value }) => environment.has(variable) && theirs.get(variable) !== value,
  )
  if (differing.length > 0) {
    const pairs = differing.map(({ variable }) => `${variable}=${theirs.get(variable)}`).join(' and ')
    return failure(
      `${unitName} sets ${pairs}, which commands do not see: remove it from the unit and set it in ${settingsFile}.`,
    )
  }
  return good(`${unitName} has the same settings as commands.`)
}
