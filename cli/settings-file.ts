// What a command knows of the installation that it works on: its file of settings, and the user whose data it is.
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { applicationFolder, isCheckout } from '../src/settings/application.ts'
import { addToEnvironment, describeSettings, useHome, type SettingLine } from '../src/settings/config.ts'
import { readSettingsText, standardSettingsFile } from '../src/settings/settings-file.ts'
import { fail, isSystemError } from './failures.ts'

/** Of the package; its server runs as this user. */
const ownUser = 'waymark'

const codeOf = (error: unknown): string | undefined => (isSystemError(error) ? error.code : undefined)

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    const why =
      codeOf(error) === 'EACCES'
        ? 'is not readable by this user: run the command with sudo, or as root'
        : `cannot be read (${codeOf(error) ?? String(error)})`
    throw fail('wrong-setting', `The settings file ${file} ${why}.`)
  }
}

/** Takes its settings; what stands in the environment counts more. @returns whether there is such a file. */
function take(file: string): boolean {
  const text = textOf(file)
  if (text === undefined) return false
  try {
    addToEnvironment(readSettingsText(text, file))
    return true
  } catch (error) {
    throw error instanceof RangeError ? fail('wrong-setting', error.message) : error
  }
}

/** For a file that was named: then it must be there. */
export function useSettingsFile(file: string): void {
  if (!take(file)) throw fail('wrong-setting', `There is no settings file ${file}.`)
}

/** The user and group of a folder, or undefined where there is none. */
function ownerOf(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  return statSync(folder, { throwIfNoEntry: false })
}

/** The home of the user that this process has become; one that the system has no name for has none. */
function ownHome(otherwise: string): string {
  try {
    return userInfo().homedir
  } catch {
    return otherwise
  }
}

/** False where the system has no user of this name. */
function become(user: string | number, group: string | number, dataDir: string): boolean {
  try {
    process.setgroups?.([group])
  } catch {
    return false
  }
  process.setgid?.(group)
  process.setuid?.(user)
  process.umask(0o077)
  useHome(ownHome(dataDir))
  return true
}

/** Such as a checkout in the home of root: this process could then not load the rest of the program. */
function requireReadableProgram(dataDir: string): void {
  try {
    accessSync(import.meta.filename, constants.R_OK)
  } catch {
    const whose = `DATA_DIR ${dataDir} belongs to another user`
    throw fail(
      'wrong-setting',
      `${whose}, who cannot read ${applicationFolder}: move the program to a folder that this user can read, such as /opt/waymark.`,
    )
  }
}

/** Also if other settings are wrong: `doctor` reports those itself. */
function dataFolder(): SettingLine {
  const line = describeSettings().find(({ variable }) => variable === 'DATA_DIR')
  if (line === undefined) throw new Error('There is no setting DATA_DIR.')
  return line
}

/**
 * What root makes in the data folder, the server could not read: so root becomes the user who has it, or who will. Where
 * there is no such user, as in a container of somebody's own making, root stays; so it does in a checkout without data, whose
 * server runs as whoever starts it.
 */
function leaveRoot(): void {
  if (process.getuid?.() !== 0) return
  const dataDir = dataFolder().value
  const owner = ownerOf(dataDir)
  if (owner !== undefined && owner.uid !== 0) {
    become(owner.uid, owner.gid, dataDir)
    requireReadableProgram(dataDir)
    return
  }
  if (!isCheckout && become(ownUser, ownUser, dataDir) && owner !== undefined)
    throw fail(
      'wrong-setting',
      `DATA_DIR ${dataDir} belongs to root, and the server runs as ${ownUser}: run "chown ${ownUser}: ${dataDir}".`,
    )
}

/** Before a command that works on this installation. @param file as --env-file names it. */
export function useInstallation(file: string | undefined): void {
  if (file !== undefined) useSettingsFile(file)
  else if (!isCheckout && !take(standardSettingsFile)) requireDataFolder()
  leaveRoot()
}

/** What is installed must not make a data folder wherever somebody happens to stand. */
function requireDataFolder(): void {
  if (dataFolder().isDefault)
    throw fail(
      'wrong-setting',
      `There is no settings file ${standardSettingsFile}: create it, name another with --env-file, or set DATA_DIR.`,
    )
}
