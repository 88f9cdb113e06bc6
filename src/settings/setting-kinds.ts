// How the text of a setting becomes its value: one reader for each kind of value, with the sentence for what cannot be read.
import { isIP } from 'node:net'
import path from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** Gives the text of a variable, with its default already filled in. */
export type Lookup = (variable: string) => string

export interface Setting<T> {
  readonly variable: string
  /** Text used when the variable is unset or blank; may depend on other settings. */
  readonly standard: (lookup: Lookup) => string
  readonly help: string
  /** Parses the text, or throws a RangeError whose message completes the sentence "PORT must …". */
  readonly read: (text: string) => T
  /** How doctor and the admin page show the text, if it contains a secret. */
  readonly show?: (text: string) => string
  /** Read as well, for one minor version after a rename (former-names.ts). */
  readonly formerName?: string
  /** Values of the former name, each with its replacement; others are unchanged. */
  readonly formerValues?: Readonly<Record<string, string>>
}

export function setting<T>(
  variable: string,
  standard: string | ((lookup: Lookup) => string),
  help: string,
  read: (text: string) => T,
): Setting<T> {
  return { variable, standard: typeof standard === 'string' ? () => standard : standard, help, read }
}

/** A setting without a default, an address with a password in it. */
export function secretSetting<T>(variable: string, help: string, read: (text: string) => T): Setting<T> {
  return { ...setting(variable, '', help, read), show: withoutPassword }
}

/** @returns the setting, which had another name before. */
export const renamed = <T>(
  now: Setting<T>,
  formerName: string,
  formerValues?: Readonly<Record<string, string>>,
): Setting<T> => ({ ...now, formerName, ...(formerValues && { formerValues }) })

export function withoutPassword(value: string): string {
  const url = URL.parse(value)
  if (!url?.password) return value
  url.password = '…'
  return decodeURI(url.href)
}

export function smtpUrl(value: string): string | undefined {
  if (value === '') return undefined
  const url = URL.parse(value)
  // Plain letters, so that no odd name can pass for another in a certificate or a look-up (docs/supply-chain).
  const isPlain = url !== null && /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/i.test(url.hostname)
  if (!isPlain || !/^smtps?:$/.test(url.protocol)) {
    throw new RangeError('must be a URL such as smtp://user:password@mail.example:587')
  }
  return value
}

export const text = (value: string): string => value
export const optionalText = (value: string): string | undefined => (value === '' ? undefined : value)
export const folder = (value: string): string => path.resolve(value)
export const optionalFile = (value: string): string | undefined =>
  value === '' ? undefined : path.resolve(value)

export function wholeNumber(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new RangeError(`must be a whole number from ${min} to ${max}`)
    }
    return number
  }
}

/** 0 means no limit. */
export function zeroOr(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || (number !== 0 && (number < min || number > max))) {
      throw new RangeError(`must be 0, or a whole number from ${min} to ${max}`)
    }
    return number
  }
}

/** An hour of the day; undefined for `off`. */
export function hourOrOff(value: string): number | undefined {
  if (value === 'off') return undefined
  if (/^\d{1,2}$/.test(value) && Number(value) <= 23) return Number(value)
  throw new RangeError('must be a whole number from 0 to 23, or off')
}

export function positiveNumber(value: string): number {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || number <= 0 || number === Infinity)
    throw new RangeError('must be a number above 0')
  return number
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return (value: string): Words[number] => {
    if (!words.includes(value)) throw new RangeError(`must be ${words.join(' or ')}`)
    return value
  }
}

/** The name of a time zone, such as Europe/Zurich. */
export function timeZone(value: string): string {
  try {
    Intl.DateTimeFormat('en', { timeZone: value })
    return value
  } catch {
    throw new RangeError('must be the name of a time zone, such as Europe/Zurich')
  }
}

/** What happens to a published photo whose texts are changed, in v2's terms. */
export function editedPhotos(value: string): 'list' | 'pend' {
  return oneOf(['keep-listed', 'require-review'])(value) === 'keep-listed' ? 'list' : 'pend'
}

/** An http(s) URL without query and fragment; a trailing slash is dropped. */
export function webUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(value) || url.username || url.password) {
    throw new RangeError('must be an http or https URL without query, fragment or user')
  }
  return url.href.replace(/\/+$/, '')
}

/** An https address whose origin becomes part of a header; undefined for none. */
export function secureUrl(value: string): string | undefined {
  if (value === '') return undefined
  const url = URL.parse(value)
  // Plain letters, so that nothing in the name can end a part of the header; its grammar has no IPv6 address either.
  const isPlain = url?.protocol === 'https:' && /^[a-z0-9.-]+$/.test(url.hostname)
  if (!isPlain || url.username !== '' || url.password !== '')
    throw new RangeError('must be an https URL without user, such as https://tiles.example/style.json')
  return url.href
}

export function origins(value: string): readonly string[] {
  const listed = value.split(/[\s,]+/).filter((word) => word !== '')
  for (const origin of listed) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new RangeError(`must list origins such as https://trails.example, but ${origin} is not one`)
    }
  }
  return listed
}

/** Only https and plain ASCII, so that none can end a part of the header that they are put into. */
export function secureOrigins(value: string): readonly string[] {
  const listed = origins(value)
  for (const origin of listed) {
    if (!/^https:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin))
      throw new RangeError(`must list https origins such as https://tiles.example, but ${origin} is not one`)
  }
  return listed
}

export function cidrs(value: string): readonly string[] {
  const listed = value.split(/[\s,]+/).filter((word) => word !== '')
  for (const cidr of listed) {
    const [address = '', bits, ...rest] = cidr.split('/')
    const most = isIP(address) === 4 ? 32 : 128
    const isGood =
      isIP(address) !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
    if (!isGood) throw new RangeError(`must list addresses such as 10.0.0.0/8, but ${cidr} is not one`)
  }
  return listed
}

/** @param most of one wait. */
export function waits(most: number, maxTimes: number) {
  return (value: string): readonly number[] => {
    const listed = value.split(/[\s,]+/).filter((word) => word !== '')
    const isGood = listed.every((word) => /^\d{1,9}$/.test(word) && Number(word) >= 1 && Number(word) <= most)
    if (!isGood || listed.length === 0 || listed.length > maxTimes)
      throw new RangeError(`must list up to ${maxTimes} whole numbers from 1 to ${most}`)
    return listed.map(Number)
  }
}

/** Who sends the largest size; undefined for `off`. The location becomes part of a header. */
export function offload(value: string): { readonly kind: 'x-accel'; readonly location: string } | undefined {
  if (value === 'off') return undefined
  const location = /^x-accel:(\/(?:[\w-]+\/)+)$/.exec(value)?.[1]
  if (location === undefined)
    throw new RangeError(
      'must be off, or x-accel: and an internal location of nginx, such as x-accel:/files/',
    )
  return { kind: 'x-accel', location }
}
