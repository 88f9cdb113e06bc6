// Parsers for option values; an invalid one causes one sentence that names the option.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { countCharacters } from '../src/shared/text/characters.ts'
import { fail, wrongUsage } from './failures.ts'

const maxLabelLength = 200
const maxSecretLineLength = 8_192
const maxDays = 36_500

/** An ID in the form that Waymark writes: decimal, no sign, no leading zero, at most 2^53−1. */
export function canonicalId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(id) ? id : undefined
}

/** Reads an option with an ID. */
export function idOption(option: string) {
  return (text: string): number => {
    const id = canonicalId(text)
    if (id === undefined) {
      throw wrongUsage(`${option} must be a whole number from 1 to 9007199254740991, digits only.`)
    }
    return id
  }
}

const maxLongId = 2n ** 63n - 1n

/** Reads an ID of another server, which may be any positive 64-bit number, as text. */
export function longIdOption(option: string) {
  return (text: string): string => {
    if (/^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= maxLongId) return text
    throw wrongUsage(`${option} must be a whole number from 1 to ${maxLongId}, digits only.`)
  }
}

/** Reads an option with a fixed set of values. */
export function wordOption<const Words extends readonly string[]>(option: string, words: Words) {
  return (text: string): Words[number] => {
    if (!words.includes(text))
      throw wrongUsage(`${option} must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`)
    return text
  }
}

/** Reads an option with a label for a credential. */
export function labelOption(option: string) {
  return (text: string): string => {
    const label = text.trim()
    if (label === '' || countCharacters(label) > maxLabelLength || /\p{Cc}/u.test(label)) {
      throw wrongUsage(`${option} must have 1 to ${maxLabelLength} characters and no control characters.`)
    }
    return label
  }
}

/** Reads --issuer. Stored exactly as given, since it is compared with tokens character by character. */
export function issuerOption(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && (url.href === text || url.href === `${text}/`)) return text
  throw wrongUsage('--issuer must be an https URL, written exactly as in its tokens.')
}

/** Reads an option that may be given several times. */
export function repeatedOption(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text]
}

export const expiryForms = '90d, 12h or 30m from now, a date (midnight UTC) or an RFC 3339 timestamp'

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 }

function durationMs(text: string): number | undefined {
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})([dhm])$/.exec(text) ?? []
  const milliseconds = Number(count) * (unitMs[unit] ?? 0)
  return milliseconds > 0 && milliseconds <= maxDays * 86_400_000 ? milliseconds : undefined
}

function instant(text: string): number | undefined {
  const form = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/
  const [whole = '', date = ''] = form.exec(text) ?? []
  const at = Date.parse(whole.toUpperCase().replace(' ', 'T'))
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // Date.parse turns 30 February into 2 March.
  const isOfCalendar = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
  return isOfCalendar && !Number.isNaN(at) ? at : undefined
}

/** Reads --expires. Returns a function of the current time that gives the expiry in milliseconds since 1970 UTC. */
export function expiryOption(text: string): (now: number) => number {
  const duration = durationMs(text)
  if (duration !== undefined) return (now) => now + duration
  const at = instant(text)
  if (at === undefined) throw wrongUsage(`--expires must be ${expiryForms}.`)
  return (now) => {
    if (at <= now) throw wrongUsage('--expires must be in the future.')
    return at
  }
}

/** The first line of stdin without its line break; the rest is not read. */
export async function readSecretLine(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (chunk.includes('\n')) break
    if (length > maxSecretLineLength) throw wrongUsage('The line on stdin is too long for a password.')
  }
  const [line = ''] = decodeLine(Buffer.concat(chunks)).split('\n')
  return line.replace(/\r$/, '')
}

/**
 * The same for a terminal, without echo.
 * @param prompt is called once echo is off. @throws if it is cancelled with Ctrl+C or Ctrl+D.
 */
export function readHiddenLine(input: NodeJS.ReadStream, prompt: () => void): Promise<string> {
  // readline echoes the line while editing: to nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  prompt()
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
    })
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => reject(fail('stopped', 'No password was entered, so nothing was created.')))
  })
}

function decodeLine(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw wrongUsage('The line on stdin is not valid UTF-8.')
  }
}
