// The settings file and the system user of the installation that a command works on.
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { applicationFolder, isCheckout } from '../src/settings/application.ts'
import { addToEnvironment, describeSettings, useHome, type SettingLine } from '../src/settings/config.ts'
import { readSettingsText, standardSettingsFile } from '../src/settings/settings-file.ts'
import { fail, isSystemError } from './failures.ts'

/** From the package; the server runs as this user. */
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

/** Loads its settings; environment variables take precedence. @returns whether the file exists. */
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

/** For a file that was named explicitly: it must exist. */
export function useSettingsFile(file: string): void {
  if (!take(file)) throw fail('wrong-setting', `There is no settings file ${file}.`)
}

/** As it is typed in a shell. */
const shellWord = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Follows a command that a message names, so that it works on the same installation. @param file from --env-file. */
export const envFileWords = (file: string | undefined): string =>
  file === undefined ? '' : ` --env-file ${shellWord(file)}`

/** The user and group of a folder, or undefined if it does not exist. */
function ownerOf(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  return statSync(folder, { throwIfNoEntry: false })
}

/** The home folder of the current user; undefined if the system has no entry for it. */
function ownHome(otherwise: string): string {
  try {
    return userInfo().homedir
  } catch {
    return otherwise
  }
}

/** False if the system has no user with this name. */
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

/** For example a checkout in root's home: this process could then not load the rest of the program. */
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
 * The server could not read files that root creates in the data folder, so root switches to the owner of the folder,
 * or to the future owner. If there is no such user, as in a custom container, root stays. The same holds for a
 * checkout without data, whose server runs as the user who starts it.
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

/** Runs before a command that works on this installation. @param file from --env-file. */
export function useInstallation(file: string | undefined): void {
  if (file !== undefined) useSettingsFile(file)
  else if (!isCheckout && !take(standardSettingsFile)) requireDataFolder()
  leaveRoot()
}

/** The installed command must not create a data folder in the current directory. */
function requireDataFolder(): void {
  if (dataFolder().isDefault)
    throw fail(
      'wrong-setting',
      `There is no settings file ${standardSettingsFile}: create it, name another with --env-file, or set DATA_DIR.`,
    )
}
