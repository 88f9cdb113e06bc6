// XML names: prefixes and their scopes, kept by ourselves because saxes does it in quadratic time.

/**
 * What the reader wants to know of a start tag; or the rule it breaks, as a sentence without its full stop.
 */
export type NamedTag = { readonly local: string; readonly isNil: boolean } | { readonly problem: string }

export interface PrefixScopes {
  /** Opens the scope of an element. Attributes are as written, prefixes included. */
  readonly enter: (name: string, attributes: Readonly<Record<string, string>>) => NamedTag
  readonly leave: () => void
}

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'
const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/'
const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

interface Name {
  readonly prefix: string
  readonly local: string
}

/**
 * The prefixes in force while a document is read. Elements are known by local name, whatever their namespace
 * (C8), yet a document has to keep the rules: a name holds at most one colon, a prefix is declared before it
 * is used and never undeclared, xml and xmlns are reserved, and no attribute stands twice under two prefixes
 * of one namespace.
 *
 * Namespaces are numbered, so that neither a long name nor many prefixes make any step dearer than its own
 * length.
 */
export function createPrefixScopes(): PrefixScopes {
  const numbers = new Map<string, number>()
  const numberOf = (namespace: string): number => {
    const number = numbers.get(namespace) ?? numbers.size
    numbers.set(namespace, number)
    return number
  }
  const instance = numberOf(instanceNamespace)
  /** Prefix → the namespaces it stands for, the innermost last. */
  const bound = new Map([
    ['xml', [numberOf(xmlNamespace)]],
    ['xmlns', [numberOf(xmlnsNamespace)]],
  ])
  /** The prefixes that each open element declares. */
  const declared: string[][] = []

  const declare = (attributes: Readonly<Record<string, string>>): string | undefined => {
    const prefixes: string[] = []
    declared.push(prefixes)
    for (const [name, namespace] of Object.entries(attributes)) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
      const prefix = name.slice('xmlns:'.length)
      const problem = declarationProblem(prefix, namespace)
      if (problem !== undefined) return problem
      const stack = bound.get(prefix) ?? []
      stack.push(numberOf(namespace))
      bound.set(prefix, stack)
      prefixes.push(prefix)
    }
    return undefined
  }

  return {
    enter(tagName, attributes) {
      const problem = declare(attributes)
      if (problem !== undefined) return { problem }

      const tag = splitName(tagName)
      if (tag === undefined) return malformedName(tagName)
      if (tag.prefix === 'xmlns') return { problem: 'No element may have the prefix xmlns' }
      if (tag.prefix !== '' && !bound.get(tag.prefix)?.length) return undeclared(tag.prefix)

      const seen = new Set<string>()
      let isNil = false
      for (const [attributeName, value] of Object.entries(attributes)) {
        const attribute = splitName(attributeName)
        if (attribute === undefined) return malformedName(attributeName)
        if (attribute.prefix === '') continue
        const namespace = bound.get(attribute.prefix)?.at(-1)
        if (namespace === undefined) return undeclared(attribute.prefix)
        const key = `${namespace} ${attribute.local}`
        if (seen.has(key)) return { problem: `Duplicate attribute ${clip(attribute.local)}` }
        seen.add(key)
        if (namespace === instance && attribute.local === 'nil') isNil = ['true', '1'].includes(value.trim())
      }
      return { local: tag.local, isNil }
    },
    leave() {
      for (const prefix of declared.pop() ?? []) bound.get(prefix)?.pop()
    },
  }
}

/** `prefix` is '' for the default namespace. */
function declarationProblem(prefix: string, namespace: string): string | undefined {
  const isXml = namespace === xmlNamespace
  if (prefix === 'xmlns' || namespace === xmlnsNamespace) return 'The prefix xmlns may not be declared'
  if ((prefix === 'xml') !== isXml) return 'The prefix xml is bound to its own namespace'
  if (prefix !== '' && namespace === '')
    return `The prefix ${clip(prefix)} is declared with an empty namespace`
  return undefined
}

// What may stand in a name, but not first in it.
const notFirst = /^(?:[-.\d\u{b7}\u{203f}\u{2040}]|[\u{300}-\u{36f}])/u

function splitName(name: string): Name | undefined {
  const colon = name.indexOf(':')
  if (colon === -1) return { prefix: '', local: name }
  const local = name.slice(colon + 1)
  if (colon === 0 || local === '' || local.includes(':') || notFirst.test(local)) return undefined
  return { prefix: name.slice(0, colon), local }
}

function malformedName(name: string): NamedTag {
  return { problem: `${clip(name)} is not a valid qualified name` }
}

function undeclared(prefix: string): NamedTag {
  return { problem: `The prefix ${clip(prefix)} is not declared` }
}

/** A name as a sentence can hold it. */
export function clip(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name
}
