// Settings that were renamed: for one minor version the former name is read too, with a warning at the start.
import type { Environment, Setting } from './setting-kinds.ts'

const given = (environment: Environment, name: string): string => environment[name]?.trim() ?? ''

/** What the environment gives under the former name, in the values of the new one. */
function formerText({ formerName, formerValues = {} }: Setting<unknown>, environment: Environment): string {
  const text = formerName === undefined ? '' : given(environment, formerName)
  return (Object.hasOwn(formerValues, text) && formerValues[text]) || text
}

/** The text that the environment gives a setting under either name; empty for none. */
export const givenText = (setting: Setting<unknown>, environment: Environment): string =>
  given(environment, setting.variable) || formerText(setting, environment)

/** @throws RangeError if both names are set, to different values. */
export function refuseContradiction(setting: Setting<unknown>, environment: Environment): void {
  const { variable, formerName } = setting
  const [text, former] = [given(environment, variable), formerText(setting, environment)]
  if (text !== '' && former !== '' && text !== former)
    throw new RangeError(
      `must not differ from ${formerName}, its former name: remove ${formerName} from the environment`,
    )
}

/** One sentence for each former name that is set. */
export function describeFormerNames(
  settings: readonly Setting<unknown>[],
  environment: Environment,
): string[] {
  return settings
    .filter(({ formerName }) => formerName !== undefined && given(environment, formerName) !== '')
    .map((setting) => {
      const { variable, formerName, show = String } = setting
      return `${formerName} is now called ${variable}: set ${variable}=${show(formerText(setting, environment))} instead. The former name will stop working in the next minor version.`
    })
}
