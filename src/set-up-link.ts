// Where the link for the first admin goes (contract D6): to the terminal of whoever starts the server, and else into a file
// that only the server's user can read. A journal or a container's log is read by others, and kept.
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

export interface SetUpPlace {
  readonly dataDir: string
  /** Whether a person reads what is printed. */
  readonly isTerminal: boolean
}

const fileIn = ({ dataDir }: SetUpPlace): string => path.join(dataDir, 'set-up-link')

/** @returns what to print. */
export async function handOverSetUpLink(link: string, place: SetUpPlace): Promise<string> {
  const begin = 'There is no admin yet. To make the first account, open'
  if (place.isTerminal) return `${begin} this within a day:\n  ${link}\n`
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
