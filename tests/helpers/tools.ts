// Checks for system tools that a test needs.
import { existsSync } from 'node:fs'
import path from 'node:path'

const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin']

/** A skip reason naming the first missing tool; false if all are installed. */
export function whyMissing(...tools: readonly string[]): string | false {
  const missing = tools.find((tool) => !folders.some((folder) => existsSync(path.join(folder, tool))))
  return missing !== undefined && `${missing} is not installed`
}
