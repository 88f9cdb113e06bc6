// What every command works on: the settings of the environment and the stores that they name.
import { readConfig, type Config } from '../src/config.ts'
import { requireWritable } from '../src/database/read-only.ts'
import { openInstallation, type Installation } from '../src/installation.ts'
import { fail } from './failures.ts'

/** The settings; a wrong one is a wrong use of the command (contract D2). */
export function readSettings(): Config {
  try {
    return readConfig()
  } catch (error) {
    throw error instanceof RangeError ? fail('wrong-setting', error.message) : error
  }
}

/** Opens the installation, made where there is none, for as long as the work takes. */
export async function withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  const installation = await openInstallation(readSettings())
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}

/** The same for a command that changes something: refused while the installation is read-only. */
export function withWritableInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  return withInstallation(async (installation) => {
    await requireWritable(installation.database.db)
    return work(installation)
  })
}
