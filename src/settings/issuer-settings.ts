// Reads TRUSTED_ISSUERS: JSON in the variable or in a file; every error is a sentence that names its place (contract
// D2).
import { readFileSync } from 'node:fs'
import { isRole, roles } from '../auth/roles.ts'
import { isScope, scopes, type Scope } from '../auth/scopes.ts'
import {
  isIssuerAddress,
  issuerAlgorithms,
  standardAlgorithms,
  type IssuerAlgorithm,
  type TrustedIssuer,
} from '../auth/issuers/trusted-issuer.ts'
import type { Role } from '../database/schema.ts'

const fields = [
  'issuer',
  'audience',
  'algorithms',
  'accountClaim',
  'roleClaim',
  'roles',
  'scopes',
  'createAccounts',
] as const

type Field = (typeof fields)[number]
type Entry = Readonly<Partial<Record<Field, unknown>>>

/** Finishes the sentence "TRUSTED_ISSUERS must …". */
const wrong = (place: string, rule: string): RangeError => new RangeError(`must have ${rule} at ${place}`)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const isAlgorithm = (value: unknown): value is IssuerAlgorithm =>
  (issuerAlgorithms as readonly unknown[]).includes(value)

function listOf<T>(value: unknown, isGood: (item: unknown) => item is T): readonly T[] | undefined {
  return Array.isArray(value) && value.length > 0 && value.every(isGood) ? value : undefined
}

function readIssuer(value: unknown, place: string): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  // Compared letter for letter with what tokens hold: a form that no issuer writes would never match.
  const isWritten = url !== null && (url.href === value || url.href === `${String(value)}/`)
  if (!isWritten || !isIssuerAddress(url) || url.search !== '' || url.hash !== '' || /[?#]/.test(url.href)) {
    throw wrong(place, 'an https URL without query or fragment, in lower case (http only on loopback),')
  }
  return String(value)
}

function readRoles({ roleClaim, roles: map }: Entry, place: string): ReadonlyMap<string, Role> {
  if ((roleClaim === undefined) !== (map === undefined))
    throw wrong(place, 'both of roleClaim and roles, or neither,')
  if (map === undefined) return new Map()
  if (!isObject(map) || !Object.values(map).every(isRole))
    throw wrong(`${place}.roles`, `an object from values of the claim to ${roles.join(', ')}`)
  return new Map(Object.entries(map) as [string, Role][])
}

function readAlgorithms(value: unknown, place: string): readonly IssuerAlgorithm[] {
  const algorithms = value === undefined ? standardAlgorithms : listOf(value, isAlgorithm)
  if (algorithms) return algorithms
  throw wrong(`${place}.algorithms`, `a list of asymmetric algorithms (${issuerAlgorithms.join(', ')})`)
}

function readScopes(value: unknown, place: string): ReadonlySet<Scope> {
  if (value === undefined) return new Set(scopes)
  const isListed = (item: unknown): item is Scope => typeof item === 'string' && isScope(item)
  const listed = listOf(value, isListed)
  if (!listed) throw wrong(`${place}.scopes`, `a list of scopes (${scopes.join(', ')})`)
  return new Set(listed)
}

function readClaim(value: unknown, place: string): string | undefined {
  if (value === undefined || isText(value)) return value
  throw wrong(place, 'the name of a claim')
}

function readEntry(value: unknown, place: string): TrustedIssuer {
  if (!isObject(value)) throw wrong(place, 'an object')
  const unknown = Object.keys(value).find((name) => !(fields as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw wrong(place, `no fields other than ${fields.join(', ')}, but has ${JSON.stringify(unknown)}`)
  const entry: Entry = value
  const audience = isText(entry.audience) ? [entry.audience] : listOf(entry.audience, isText)
  if (!audience) throw wrong(`${place}.audience`, 'a string, or a list of strings,')
  const { createAccounts = false } = entry
  if (typeof createAccounts !== 'boolean') throw wrong(`${place}.createAccounts`, 'true or false')
  return {
    issuer: readIssuer(entry.issuer, `${place}.issuer`),
    audience,
    algorithms: readAlgorithms(entry.algorithms, place),
    accountClaim: readClaim(entry.accountClaim, `${place}.accountClaim`),
    roleClaim: readClaim(entry.roleClaim, `${place}.roleClaim`),
    roles: readRoles(entry, place),
    scopes: readScopes(entry.scopes, place),
    createAccounts,
  }
}

function textOf(value: string): string {
  if (value.startsWith('[')) return value
  try {
    return readFileSync(value, 'utf8')
  } catch (cause) {
    throw new RangeError('must be a JSON array, or the path of a readable file that contains one', {
      cause,
    })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RangeError('must be valid JSON, in the variable or in the file', { cause })
  }
}

/** Reads the setting. @throws RangeError whose message finishes the sentence "TRUSTED_ISSUERS must …". */
export function trustedIssuers(value: string): readonly TrustedIssuer[] {
  if (value === '') return []
  const listed = parse(textOf(value))
  if (!Array.isArray(listed)) throw new RangeError('must be a JSON array of issuers')
  const entries = listed.map((entry, index) => readEntry(entry, `[${index}]`))
  for (const [index, { issuer }] of entries.entries()) {
    const first = entries.findIndex((entry) => entry.issuer === issuer)
    if (first !== index) throw wrong(`[${index}].issuer`, `an issuer that is not already at [${first}]`)
  }
  return entries
}
