// The ID and secret of a client that acts for its account: from options, files, stdin or the environment, never
// directly from an argument.
import { open } from 'node:fs/promises'
import { readRemoteSettings } from '../../src/settings/config.ts'
import { fail, isSystemError, systemSentence, wrongUsage } from '../failures.ts'
import { readHiddenLine, readSecretLine } from '../options.ts'
import type { ClientSecret } from './logins.ts'

/** Only the start of the file is read: no secret is longer. */
const maxBytes = 4_096

async function readSecretFile(file: string): Promise<string> {
  try {
    const handle = await open(file)
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
      const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n')
      if (line.trim() === '')
        throw fail('wrong-secret', `${file} is empty: its first line must be the secret.`)
      return line.trim()
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw isSystemError(error) ? fail('wrong-secret', systemSentence(error)) : error
  }
}

/** The client named by the environment; undefined if there is none. @throws one sentence if its secret is missing. */
export async function ownSecret(): Promise<ClientSecret | undefined> {
  const { clientId, clientSecret, clientSecretFile } = readRemoteSettings()
  if (clientId === undefined) return undefined
  if (clientSecret !== undefined) return { clientId, clientSecret }
  if (clientSecretFile !== undefined)
    return { clientId, clientSecret: await readSecretFile(clientSecretFile) }
  throw fail(
    'wrong-setting',
    'WAYMARK_CLIENT_ID requires the secret in WAYMARK_CLIENT_SECRET or WAYMARK_CLIENT_SECRET_FILE.',
  )
}

export interface SecretOptions {
  readonly clientId?: string
  readonly clientSecretFile?: string
  readonly clientSecretStdin?: true
}

/** For `waymark login`: undefined if a person signs in. @param prompt is called once echo is off. */
export async function secretOf(
  options: SecretOptions,
  prompt: () => void,
): Promise<ClientSecret | undefined> {
  const { clientId, clientSecretFile: file, clientSecretStdin } = options
  const isNamed = file !== undefined || clientSecretStdin === true
  if (clientId === undefined) {
    if (isNamed) throw wrongUsage('The secret requires --client-id, which it belongs to.')
    return undefined
  }
  if (file !== undefined && clientSecretStdin === true)
    throw wrongUsage('Use either --client-secret-file or --client-secret-stdin.')
  if (file !== undefined) return { clientId, clientSecret: await readSecretFile(file) }
  const { clientSecret: given, clientSecretFile: givenFile } = readRemoteSettings()
  if (clientSecretStdin !== true && given !== undefined) return { clientId, clientSecret: given }
  if (clientSecretStdin !== true && givenFile !== undefined)
    return { clientId, clientSecret: await readSecretFile(givenFile) }
  const { stdin } = process
  const isTyped = stdin.isTTY && clientSecretStdin !== true
  if (!isTyped && clientSecretStdin !== true)
    throw wrongUsage('--client-id requires the secret: --client-secret-file FILE or --client-secret-stdin.')
  const clientSecret = (isTyped ? await readHiddenLine(stdin, prompt) : await readSecretLine(stdin)).trim()
  if (clientSecret === '') throw fail('wrong-secret', 'No client secret was given.')
  return { clientId, clientSecret }
}
