// Where this program is: a checkout for development, or an installation (package, image).
import { existsSync } from 'node:fs'
import path from 'node:path'

/** The folder of package.json. */
export const applicationFolder = path.resolve(import.meta.dirname, '../..')

/** Only a checkout has the tests. An installation has a finished web app, and the command `waymark` on PATH. */
export const isCheckout = existsSync(path.join(applicationFolder, 'tests'))

/** How the one who reads a message runs a command. */
export const commandName = isCheckout ? 'node bin/waymark.cjs' : 'waymark'
