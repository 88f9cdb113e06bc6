// The output of a command: one JSON document or sentences on stdout, and one sentence on stderr if it fails.
import { commandName } from '../src/settings/application.ts'
import { exitCodes, type ExitCode, type Failure } from './failures.ts'
import { envFileWords } from './settings-file.ts'

export interface Answer {
  /** The one document of --json. */
  readonly document: unknown
  /** The same for people. */
  readonly lines: readonly string[]
  readonly exitCode?: ExitCode
}

/**
 * Names come from other users, and sentences from other servers: control characters in them must not affect the
 * terminal.
 */
export const printable = (line: string): string => line.replaceAll(/\p{Cc}/gu, '?')

/** A failed write is an error, unless the reader has exited early, such as `head`. */
function failWriting(error: NodeJS.ErrnoException): void {
  process.exitCode = exitCodes.refused
  if (error.code !== 'EPIPE') process.stderr.write(`The output could not be written: ${error.message}.\n`)
}

/** Help and version are also written here. */
export function answerWith(text: string): void {
  process.stdout.once('error', failWriting)
  process.stdout.write(text)
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${printable(line)}\n`).join('')

function answerDocument(document: unknown): void {
  answerWith(`${JSON.stringify(document)}\n`)
}

export interface OutputOptions {
  readonly isJson: () => boolean
  /** The file of --env-file. */
  readonly envFile: () => string | undefined
}

export function createOutput({ isJson, envFile }: OutputOptions) {
  let isHeard = false
  return {
    /** A command on the same installation, as the reader has to type it. */
    command: (words: string): string => `${commandName} ${words}${envFileWords(envFile())}`,

    /** The same within a sentence. */
    quoted: (words: string): string => `"waymark ${words}${envFileWords(envFile())}"`,

    /** Prints the result of the command and sets the exit code. */
    answer: ({ document, lines, exitCode = 0 }: Answer): void => {
      process.exitCode = exitCode
      if (isJson()) answerDocument(document)
      else answerWith(textOf(lines))
    },

    /** One of several JSON documents, one per line, as soon as it is known. */
    line: (document: unknown): void => {
      if (!isHeard) process.stdout.on('error', failWriting)
      isHeard = true
      process.stdout.write(`${JSON.stringify(document)}\n`)
    },

    /** A message that is neither a result nor an error, such as a prompt. */
    remark: (sentence: string): void => {
      process.stderr.write(textOf([sentence]))
    },

    /** The sentence goes to stderr in both modes, so that people see why a script stopped. */
    failure: ({ code, message, exitCode }: Failure): void => {
      process.exitCode = exitCode
      if (isJson()) answerDocument({ error: { code, message } })
      process.stderr.write(textOf([message]))
    },
  }
}

export type Output = ReturnType<typeof createOutput>

/** A timestamp as RFC 3339 in UTC, without fractions. */
export function rfc3339(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

/** The same for people. */
export function formatTimestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** `3 trails`, `1 trail`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

const sizeUnits = ['kB', 'MB', 'GB', 'TB'] as const

/** `3.4 GB`, in powers of 1,000 as disks are sold. */
export function sized(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, 'byte')
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), sizeUnits.length)
  return `${(bytes / 1_000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${sizeUnits[power - 1]}`
}

/** Rows as columns of equal width, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
