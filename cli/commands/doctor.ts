// waymark doctor: prints every setting with its value, and says what keeps this installation from working.
import type { Command } from 'commander'
import { describeRenamed, describeSettings, type SettingLine } from '../../src/settings/config.ts'
import { runChecks } from '../doctor-checks.ts'
import type { Check } from '../doctor-verdicts.ts'
import { exitCodes, failureOf, type ExitCode } from '../failures.ts'
import { readSettings } from '../installation.ts'
import { counted, type Output } from '../output.ts'

/** A URL with a password in it is refused as a setting, and is printed here all the same. */
function withoutPassword(value: string): string {
  return value.replaceAll(/(:\/\/[^/?#\s:@]*):[^/?#\s@]*@/g, '$1:…@')
}

function settingLines({ variable, value, isDefault, help }: SettingLine): string[] {
  return [`${variable}=${value}${isDefault ? '  (default)' : ''}`, `    ${help}`]
}

const marks = { good: 'ok  ', warning: 'WARN', failure: 'FAIL' } as const

function documentOf({ name, level, detail }: Check) {
  return { name, ok: level !== 'failure', detail: level === 'warning' ? `Warning: ${detail}` : detail }
}

function conclusion(checks: readonly Check[]): string {
  const failures = checks.filter(({ level }) => level === 'failure').length
  return failures === 0 ? 'All checks passed.' : `${counted(failures, 'check')} failed.`
}

/** Wrong settings leave nothing else to check: no one knows which folder is meant. */
async function examine(output: Output): Promise<{ checks: Check[]; exitCode: ExitCode }> {
  try {
    const renamed = describeRenamed().map((detail): Check => ({
      name: 'former-setting',
      level: 'warning',
      detail,
    }))
    const checks = [...renamed, ...(await runChecks(readSettings()))]
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
    .description('print every setting and check the requirements of the server')
    .action(async () => {
      const settings = describeSettings().map(({ variable, value, isDefault, help }) => ({
        variable,
        value: withoutPassword(value),
        isDefault,
        help,
      }))
      const { checks, exitCode } = await examine(output)
      output.answer({
        document: { settings, checks: checks.map(documentOf) },
        lines: [
          ...settings.flatMap(settingLines),
          '',
          ...checks.map(({ level, detail }) => `${marks[level]}  ${detail}`),
          conclusion(checks),
        ],
        exitCode,
      })
    })
}
