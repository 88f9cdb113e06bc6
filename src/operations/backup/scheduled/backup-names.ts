// Names of scheduled backups: whose they are and when they were begun, so that nothing else is ever taken for one.

export interface BackupName {
  readonly name: string
  /** Id of the installation. */
  readonly id: string
  /** When it was begun, in milliseconds. */
  readonly at: number
}

/** Sorts by time, and no file system minds it: `waymark-3f9a6c01-20261126T031500Z.zip`. */
export function backupNameOf(id: string, at: number): string {
  const timestamp = new Date(at)
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z')
    .replaceAll(/[-:]/g, '')
  return `waymark-${id}-${timestamp}.zip`
}

export function readBackupName(name: string): BackupName | undefined {
  const form = /^waymark-([0-9a-f]{8})-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.zip$/
  const [, id, ...numbers] = form.exec(name) ?? []
  if (id === undefined) return undefined
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = numbers
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? undefined : { name, id, at }
}

/**
 * Which backups of an installation to delete after one was made. Backups that claim to be newer were made with a wrong
 * clock, and count as the oldest.
 * @param made name of the new backup, which always stays.
 */
export function surplusOf(names: readonly string[], made: string, keep: number): string[] {
  const newest = readBackupName(made)
  if (newest === undefined) return []
  const others = names
    .map(readBackupName)
    .filter((one) => one?.id === newest.id && one.name !== made)
    .filter((one) => one !== undefined)
  const rank = ({ at }: BackupName): number => (at > newest.at ? 0 : at)
  return others
    .toSorted((one, other) => rank(other) - rank(one))
    .slice(keep - 1)
    .map(({ name }) => name)
}
