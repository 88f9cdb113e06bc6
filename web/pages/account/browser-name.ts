// Names a browser from its user agent in familiar words.
import { account } from '../../strings/account.ts'

const strings = account.sessions

/** The first match counts: most browsers also include the names of older ones. */
const browsers: Readonly<Record<string, RegExp>> = {
  Edge: /\bEdg/,
  Opera: /\bOPR\//,
  Firefox: /\b(Firefox|FxiOS)\//,
  Chrome: /Chrom(e|ium)\/|\bCriOS\//,
  Safari: /\bSafari\//,
}
const systems: Readonly<Record<string, RegExp>> = {
  Android: /\bAndroid\b/,
  iPhone: /\biPhone\b/,
  iPad: /\biPad\b/,
  Windows: /\bWindows\b/,
  macOS: /\bMac OS X\b/,
  Linux: /\bLinux\b/,
}

const find = (names: Readonly<Record<string, RegExp>>, agent: string): string | undefined =>
  Object.entries(names).find(([, sign]) => sign.test(agent))?.[0]

/** `Firefox on Linux`, if recognized; otherwise the user agent. */
export function browserName(agent: string): string {
  const browser = find(browsers, agent)
  const system = find(systems, agent)
  if (browser === undefined) return agent === '' ? strings.noName : agent
  return system === undefined ? browser : strings.on(browser, system)
}
