// Namespaces of a GPX document. Lenient about errors of devices: an undeclared prefix is only a warning.

export interface GpxNamespaces {
  /** Opens the scope of an element with these attributes, as written. */
  readonly enter: (attributes: Readonly<Record<string, string>>) => void
  /** The current namespace of an element: '' for none, undefined if its prefix is not declared. */
  readonly of: (name: string) => string | undefined
  /** Whether an attribute has an undeclared prefix. */
  readonly isAnyUndeclared: (attributes: Readonly<Record<string, string>>) => boolean
  readonly leave: () => void
}

/** Our own stack of prefixes, because saxes looks each one up through all open elements. */
export function createGpxNamespaces(): GpxNamespaces {
  /** Prefix → namespace, innermost last. */
  const bound = new Map<string, string[]>([
    ['', ['']],
    ['xml', ['http://www.w3.org/XML/1998/namespace']],
    ['xmlns', ['http://www.w3.org/2000/xmlns/']],
  ])
  const declared: (readonly string[])[] = []
  const innermost = (prefix: string): string | undefined => bound.get(prefix)?.at(-1)

  return {
    enter(attributes) {
      let prefixes: string[] | undefined
      for (const [name, namespace] of Object.entries(attributes)) {
        if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
        const prefix = name.slice('xmlns:'.length)
        const stack = bound.get(prefix) ?? []
        stack.push(namespace)
        bound.set(prefix, stack)
        prefixes ??= []
        prefixes.push(prefix)
      }
      declared.push(prefixes ?? none)
    },
    of: (name) => innermost(prefixOf(name)),
    isAnyUndeclared: (attributes) =>
      Object.keys(attributes).some((name) => innermost(prefixOf(name)) === undefined),
    leave() {
      for (const prefix of declared.pop() ?? none) {
        const stack = bound.get(prefix)
        stack?.pop()
        if (stack?.length === 0) bound.delete(prefix)
      }
    },
  }
}

const none: readonly string[] = []

/** '' for a name without one. */
export function prefixOf(name: string): string {
  const colon = name.indexOf(':')
  return colon === -1 ? '' : name.slice(0, colon)
}
