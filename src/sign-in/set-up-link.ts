// Where the link for the first admin is shown (contract D6): printed, but not to systemd's journal, which is stored and
// which others may read; there it goes into a file that only the server's user can read.
import { fstatSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

export interface SetUpPlace {
  readonly dataDir: string
  /** Whether output goes to the journal. */
  readonly isJournal: boolean
}

const fileIn = ({ dataDir }: SetUpPlace): string => path.join(dataDir, 'set-up-link')

/**
 * Whether standard error is the journal: systemd sets device and inode of that stream for its services, and a child
 * with another standard error inherits the variable too (systemd.exec(5), JOURNAL_STREAM).
 */
export function isStderrJournal(stream: string | undefined): boolean {
  if (stream === undefined) return false
  try {
    const { dev, ino } = fstatSync(process.stderr.fd, { bigint: true })
    return stream === `${dev}:${ino}`
  } catch {
    return true // closed or odd: the file is the safe place
  }
}

/** @returns what to print. */
export async function handOverSetUpLink(link: string, place: SetUpPlace): Promise<string> {
  const begin = 'There is no admin yet. To make the first account, open'
  if (!place.isJournal) return `${begin} this within a day:\n  ${link}\n`
  const file = fileIn(place)
  try {
    await rm(file, { force: true }) // so that the mode is that of a new file
    await writeFile(file, `${link}\n`, { flag: 'wx', mode: 0o600 })
  } catch {
    return `${begin} the link that "waymark accounts set-up-link" prints.\n`
  }
  return `${begin} the link in ${file} within a day, or the one that "waymark accounts set-up-link" prints.\n`
}

/** Removes the file once there is an admin, and its link is void. */
export const forgetSetUpLink = (place: SetUpPlace): Promise<void> =>
  rm(fileIn(place), { force: true }).catch(() => undefined)
