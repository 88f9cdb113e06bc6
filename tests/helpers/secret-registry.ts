// Records every secret in a test's requests and responses, and at the end searches files and log for it in plain text
// (trust 41).
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { filesBelow } from './folders.ts'

/** Fields that contain a secret, in JSON or in the query of a redirect. */
const answerFields = ['access_token', 'refresh_token', 'id_token', 'device_code', 'apiKey', 'clientSecret']
const answerPattern = new RegExp(`"(${answerFields.join('|')})":"([^"]+)"`, 'g')
/** One-time links. */
const linkPattern = /\/(join|reset|confirm-email)\/([\w-]{20,})/g
/** API keys and client secrets, wherever a page shows them. */
const markedPattern = /\b(wms?)_([\w-]{43})\b/g
/** Signing secrets of webhooks. */
const webhookPattern = /\b(whsec)_([A-Za-z0-9+/]{32,86}={0,2})/g
/** Anything shorter could match by chance. */
const minCharacters = 8
/** Empty for a large file, or for a temporary file that has been deleted since it was listed. */
async function readShort(file: string): Promise<Buffer> {
  try {
    return (await stat(file)).size > maxFileBytes ? Buffer.alloc(0) : await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** Limits the cost of the search. In a test with more secrets, the last ones are searched for. */
const maxSecrets = 400
const maxFileBytes = 64 * 1024 ** 2

const isSecretFile = (file: string): boolean => path.basename(file) === 'secret'

export function createSecretRegistry() {
  const secrets = new Map<string, string>()

  function note(what: string, secret: string | null | undefined): void {
    if (secret !== null && secret !== undefined && secret.length >= minCharacters) secrets.set(secret, what)
  }

  function noteText(text: string): void {
    for (const [, name = '', secret] of text.matchAll(answerPattern)) note(name, secret)
    for (const [, name = '', secret] of text.matchAll(linkPattern)) note(`link to ${name}`, secret)
    for (const [secret, mark = ''] of text.matchAll(markedPattern)) note(mark, secret)
    for (const [, mark = '', secret] of text.matchAll(webhookPattern)) note(mark, secret)
  }

  return {
    note,

    /** Wrong passwords count too: they may be the right one with a typo. */
    noteRequest: (init: RequestInit | undefined): void => {
      const { body } = init ?? {}
      if (body instanceof URLSearchParams) note('password', body.get('password'))
      if (typeof body === 'string' && body.startsWith('{'))
        note('password', /"password":"([^"\\]+)"/.exec(body)?.[1])
    },

    noteAnswer: (headers: Headers, text: string): void => {
      for (const cookie of headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';', 1)
        const at = pair.indexOf('=')
        note(`cookie ${pair.slice(0, at)}`, pair.slice(at + 1))
      }
      const location = headers.get('location')
      if (location !== null) {
        note('code', URL.parse(location, 'http://a')?.searchParams.get('code'))
        noteText(location)
      }
      noteText(text)
    },

    /** Secrets found in plain text in the folder's files or in the log, one sentence each. */
    search: async (folder: string, log: string): Promise<string[]> => {
      const last = [...secrets].slice(-maxSecrets)
      const found = last
        .filter(([secret]) => log.includes(secret))
        .map(([, what]) => `${what} stands in the log`)
      const files = existsSync(folder) ? await filesBelow(folder) : [] // the test may have removed its folder
      for (const file of files) {
        if (isSecretFile(file)) continue
        const bytes = await readShort(path.join(folder, file))
        for (const [secret, what] of last) if (bytes.includes(secret)) found.push(`${what} stands in ${file}`)
      }
      return found
    },
  }
}

export type SecretRegistry = ReturnType<typeof createSecretRegistry>
