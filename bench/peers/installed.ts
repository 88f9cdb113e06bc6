// Where the benchmark's peers are installed, and the message if they are not.
import { existsSync } from 'node:fs'
import path from 'node:path'

const modules = path.join(import.meta.dirname, 'node_modules')
const installCommand = 'npm ci --prefix bench/peers && npm run build --prefix bench/peers'

/** A file below node_modules; undefined if it does not exist. */
export function installedFile(file: string): string | undefined {
  const found = path.join(modules, file)
  return existsSync(found) ? found : undefined
}

export const notInstalled = (name: string): string => `${name} is not installed: ${installCommand}.`
