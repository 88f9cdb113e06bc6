// Renders our chart like `helm template`, with the functions that it uses. For the values of helm-render.slow.test.ts,
// Go's own text/template with Sprig gave the same bytes (26 November 2026).
import { stringify } from 'yaml'
import { isTree, type Tree } from './files.ts'
import { readTemplate, type Operand, type Pipeline, type TemplateNode } from './helm-language.ts'

interface Scope {
  /** The value of `.`. */
  readonly dot: unknown
  readonly variables: ReadonlyMap<string, unknown>
}

/** As in Go: empty values are false. */
const isTrue = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : isTree(value)
      ? Object.keys(value).length > 0
      : value !== undefined && value !== null && value !== '' && value !== 0 && value !== false

/** @throws Error where Go would print `<no value>`, a map, or a large number with an exponent. */
function printed(value: unknown, of: string): string {
  if (typeof value === 'number' && Math.abs(value) >= 1e6)
    throw new Error(`Helm writes ${value} with an exponent: ${of}`)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new Error(`This has no value to print: ${of}`)
}

const text = (value: unknown): string => printed(value, String(value))

function required(message: unknown, value: unknown): unknown {
  if (value === undefined || value === null || value === '') throw new Error(text(message))
  return value
}

const functions: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> = {
  required,
  quote: (value) => JSON.stringify(text(value)),
  default: (other, value) => (isTrue(value) ? value : other),
  not: (value) => !isTrue(value),
  contains: (part, whole) => text(whole).includes(text(part)),
  trunc: (length, value) => text(value).slice(0, Number(length)),
  trimSuffix: (end, value) =>
    text(value).endsWith(text(end)) ? text(value).slice(0, -text(end).length) : value,
  printf: (format, ...values) =>
    values.reduce<string>((all, value) => all.replace(/%[sd]/, () => text(value)), text(format)),
  add: (...values) => values.reduce<number>((sum, value) => sum + Number(value), 0),
  mul: (...values) => values.reduce<number>((product, value) => product * Number(value), 1),
  int: Number,
  int64: Number,
  gt: (one, other) => Number(one) > Number(other),
  fail(message) {
    throw new Error(text(message))
  },
  ternary: (one, other, isOne) => (isTrue(isOne) ? one : other),
  toJson: (value) => JSON.stringify(value),
  kindIs(kind, value) {
    if (kind !== 'string') throw new Error('Only strings are told from other kinds.')
    return typeof value === 'string'
  },
  toYaml: (value) => stringify(value, { sortMapEntries: true, indentSeq: false, lineWidth: 0 }).trimEnd(),
  nindent(spaces, value) {
    const start = `\n${' '.repeat(Number(spaces))}`
    return start + text(value).split('\n').join(start)
  },
}

export interface ChartToRender {
  readonly chart: Tree
  readonly values: Tree
  /** By file name. */
  readonly templates: ReadonlyMap<string, string>
  /** What `.Files.Get` reads. */
  readonly files: ReadonlyMap<string, string>
}

/** @returns the text of each template by file name, except empty ones. */
export function rendered(
  { chart, values, templates, files }: ChartToRender,
  release = 'trails',
): Map<string, string> {
  const read = new Map([...templates].map(([name, source]) => [name, readTemplate(source)] as const))
  const definitions = new Map([...read.values()].flatMap((template) => Array.from(template.definitions)))

  const valueOf = (operand: Operand, scope: Scope): unknown => {
    if (operand.kind === 'constant') return operand.value
    if (operand.kind === 'group') return run(operand.pipeline, scope)
    if (operand.kind === 'function') throw new Error(`${operand.name} stands where a value should`)
    const { variable, names } = operand
    if (variable !== undefined && !scope.variables.has(variable)) throw new Error(`${variable} is not set`)
    let at = variable === undefined ? scope.dot : scope.variables.get(variable)
    for (const name of names) {
      if (!isTree(at)) throw new Error(`${names.join('.')} goes through what is no map`)
      at = at[name]
    }
    return at
  }

  const call = (command: readonly Operand[], scope: Scope, piped: readonly unknown[]): unknown => {
    const [first, ...rest] = command
    const given = [...rest.map((operand) => valueOf(operand, scope)), ...piped]
    if (first?.kind === 'field' && first.names.join('.') === 'Files.Get')
      return files.get(text(given[0])) ?? ''
    if (first?.kind !== 'function') {
      if (!first || given.length > 0) throw new Error('A value was called like a function.')
      return valueOf(first, scope)
    }
    if (first.name === 'include') {
      const nodes = definitions.get(text(given[0]))
      if (!nodes) throw new Error(`${text(given[0])} is not defined`)
      return render(nodes, { dot: given[1], variables: new Map() })
    }
    const named = functions[first.name]
    if (!named) throw new Error(`The renderer does not know ${first.name}.`)
    return named(...given)
  }

  const run = (pipeline: Pipeline, scope: Scope): unknown =>
    pipeline.reduce<readonly unknown[]>((piped, command) => [call(command, scope, piped)], [])[0]

  const eachOf = (value: unknown): [string, unknown][] =>
    Object.entries(isTree(value) ? value : {}).toSorted(([one], [other]) => (one < other ? -1 : 1))

  const render = (nodes: readonly TemplateNode[], outer: Scope): string => {
    const variables = new Map(outer.variables)
    const scope = { dot: outer.dot, variables }
    let written = ''
    for (const node of nodes) {
      if (node.kind === 'text') written += node.text
      else if (node.kind === 'output')
        written += printed(run(node.pipeline, scope), JSON.stringify(node.pipeline))
      else if (node.kind === 'set') variables.set(node.name, run(node.pipeline, scope))
      else if (node.kind === 'range') {
        for (const [key, value] of eachOf(run(node.pipeline, scope))) {
          const inner = new Map(variables).set(node.key, key).set(node.value, value)
          written += render(node.body, { dot: value, variables: inner })
        }
      } else {
        const value = run(node.pipeline, scope)
        const inner = node.kind === 'with' ? { dot: value, variables } : scope
        written += isTrue(value) ? render(node.body, inner) : render(node.other, scope)
      }
    }
    return written
  }

  const dot = {
    Values: values,
    Chart: { Name: chart['name'], Version: chart['version'], AppVersion: chart['appVersion'] },
    Release: { Name: release, Namespace: 'default', Service: 'Helm' },
  }
  return new Map(
    [...read]
      .map(([name, { nodes }]) => [name, render(nodes, { dot, variables: new Map() })] as const)
      .filter(([, all]) => all.trim() !== ''),
  )
}
