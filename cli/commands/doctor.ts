// waymark doctor: reports problems of this installation; with --all, every setting and every check.
import type { Command } from 'commander'
import { describeRenamed, describeSettings, type SettingLine } from '../../src/settings/config.ts'
import { runChecks } from '../doctor-checks.ts'
import type { Check } from '../doctor-verdicts.ts'
import { exitCodes, failureOf, type ExitCode } from '../failures.ts'
import { readSettings } from '../installation.ts'
import { counted, type Output } from '../output.ts'

/** A URL that contains a password is refused as a setting, but it is still printed here. */
function withoutPassword(value: string): string {
  return value.replaceAll(/(:\/\/[^/?#\s:@]*):[^/?#\s@]*@/g, '$1:…@')
}

function settingLines({ variable, value, isDefault, help }: SettingLine): string[] {
  return [`${variable}=${value}${isDefault ? '  (default)' : ''}`, `    ${help}`]
}

/** Worst first. */
const marks = { failure: '✗', warning: '!', good: '✓' } as const
const levels = Object.keys(marks) as Check['level'][]

function documentOf({ name, level, detail }: Check) {
  return { name, ok: level !== 'failure', detail: level === 'warning' ? `Warning: ${detail}` : detail }
}

const lineOf = ({ level, detail }: Check): string => `${marks[level]} ${detail}`

function conclusion(checks: readonly Check[]): string {
  const failures = checks.filter(({ level }) => level === 'failure').length
  return failures === 0 ? 'No check failed.' : `${counted(failures, 'check')} failed.`
}

/** What to fix, worst first, one line each. */
function findingLines(checks: readonly Check[], doctorAll: string): string[] {
  const findings = levels.flatMap((level) =>
    checks.filter((check) => check.level === level && level !== 'good'),
  )
  const rest = findings.length === 0 ? 'All is well' : 'Everything else is well'
  const isCut = checks.some(({ name }) => name === 'settings') // nothing else was checked
  const lines = new Set(findings.map(lineOf)) // several checks may find the same problem
  return [...lines, isCut ? `Every setting: ${doctorAll}` : `${rest}. Details: ${doctorAll}`]
}

/** With invalid settings nothing else can be checked, not even which folder to use. */
async function examine(
  output: Output,
  settingsFile: string | undefined,
): Promise<{ checks: Check[]; exitCode: ExitCode }> {
  try {
    const renamed = describeRenamed().map((detail): Check => ({
      name: 'former-setting',
      level: 'warning',
      detail,
    }))
    const checks = [...renamed, ...(await runChecks(readSettings(), settingsFile))]
    const isGood = checks.every(({ level }) => level !== 'failure')
    return { checks, exitCode: isGood ? exitCodes.ok : exitCodes.refused }
  } catch (error) {
    const { message, exitCode } = failureOf(error)
    output.remark(message)
    return { checks: [{ name: 'settings', level: 'failure', detail: message }], exitCode }
  }
}

export function addDoctor(parent: Command, output: Output): void {
  parent
    .command('doctor')
    .description('check the requirements of the server, and print what is wrong')
    .option('--all', 'print every check, and every setting with its value')
    .action(async ({ all: wantsAll = false }: { readonly all?: boolean }) => {
      const settings = describeSettings().map(({ variable, value, isDefault, help }) => ({
        variable,
        value: withoutPassword(value),
        isDefault,
        help,
      }))
      const { checks, exitCode } = await examine(output, parent.opts<{ envFile?: string }>().envFile)
      output.answer({
        document: { settings, checks: checks.map(documentOf) },
        lines: wantsAll
          ? [...settings.flatMap(settingLines), '', ...checks.map(lineOf), conclusion(checks)]
          : findingLines(checks, output.command('doctor --all')),
        exitCode,
      })
    })
}
