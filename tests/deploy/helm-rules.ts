// Rules for a chart that can be checked without Helm: values and schema agree, templates refer only to existing names,
// and a template without its actions is YAML.
import { faultsOfYaml, isSetting, isTree, type Tree } from './files.ts'

/** Trees defined by the user, which templates pass on unchanged. */
const isOpen = (schema: Tree): boolean => schema['additionalProperties'] !== false

/** Every path of the values, such as `image.tag`; an open tree is one path. */
export function pathsOf(schema: unknown, before = ''): string[] {
  const properties = isTree(schema) && isTree(schema['properties']) ? schema['properties'] : {}
  return Object.entries(properties).flatMap(([name, inner]) => {
    const path = `${before}${name}`
    const isClosedTree = isTree(inner) && inner['type'] === 'object' && !isOpen(inner)
    return isClosedTree ? pathsOf(inner, `${path}.`) : [path]
  })
}

function valueAt(values: unknown, path: string): unknown {
  let at = values
  for (const name of path.split('.')) at = isTree(at) ? at[name] : undefined
  return at
}

function undeclared(values: unknown, schema: unknown, before = ''): string[] {
  if (!isTree(values) || !isTree(schema)) return []
  const properties = isTree(schema['properties']) ? schema['properties'] : {}
  return Object.entries(values).flatMap(([name, value]) => {
    if (!(name in properties))
      return isOpen(schema) ? [] : [`values.yaml has ${before}${name}, the schema does not`]
    return undeclared(value, properties[name], `${before}${name}.`)
  })
}

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isTree,
}

function typeFaults(values: unknown, schema: unknown, before = ''): string[] {
  const properties = isTree(schema) && isTree(schema['properties']) ? schema['properties'] : {}
  return Object.entries(properties).flatMap(([name, inner]) => {
    const value = isTree(values) ? values[name] : undefined
    if (!isTree(inner) || value === undefined) return []
    const type = inner['type']
    const isGood = typeof type !== 'string' || (kinds[type]?.(value) ?? false)
    const below = typeFaults(value, inner, `${before}${name}.`)
    return isGood ? below : below.concat(`values.yaml has another type at ${before}${name} than the schema`)
  })
}

/** Removes lines that are only an action, and replaces other actions by a word. The result is only parsed. */
export function withoutActions(template: string): string {
  return template
    .replaceAll(/\{\{-?\s*\/\*[\s\S]*?\*\/\s*-?\}\}/g, '')
    .split('\n')
    .filter((line) => !/^\s*(?:\{\{[^}]*\}\}\s*)+$/.test(line))
    .map((line) => line.replaceAll(/\{\{[^}]*\}\}/g, 'x'))
    .join('\n')
}

/** if, range, with and define, each with its end. */
function blockFaults(name: string, template: string): string[] {
  let depth = 0
  for (const [, word] of template.matchAll(/\{\{-?\s*(if|range|with|define|end)\b/g)) {
    depth += word === 'end' ? -1 : 1
    if (depth < 0) return [`${name} has an end too many`]
  }
  return depth === 0 ? [] : [`${name} lacks ${depth} end`]
}

export interface Chart {
  readonly values: unknown
  readonly schema: unknown
  /** By file name. */
  readonly templates: ReadonlyMap<string, string>
}

export function chartFaults({ values, schema, templates }: Chart): string[] {
  const all = [...templates.values()].join('\n')
  const known = pathsOf(schema)
  const used = [...new Set([...all.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path))]
  const defined = new Set([...all.matchAll(/define "([^"]+)"/g)].map(([, name]) => name))
  const included = new Set([...all.matchAll(/(?:include|template) "([^"]+)"/g)].map(([, name]) => name))
  const set = [...all.matchAll(/^\s*- name: ([A-Z][A-Z0-9_]+)$/gm)].map(([, name = '']) => name)
  const inDefinitions = (templates.get('_helpers.tpl') ?? '').split(/\{\{-? define "[^"]+" -?\}\}/).slice(1)
  return [
    ...used
      .filter((path) => !known.includes(path))
      .map((path) => `a template uses ${path}, which no value is`),
    ...known
      .filter((path) => path !== 'global' && !used.includes(path))
      .map((path) => `${path} is a value that nothing uses`),
    ...known
      .filter((path) => path !== 'global' && valueAt(values, path) === undefined)
      .map((path) => `the schema has ${path}, values.yaml does not`),
    ...undeclared(values, schema),
    ...typeFaults(values, schema),
    ...[...included]
      .filter((name) => !defined.has(name))
      .map((name) => `${String(name)} is included and not defined`),
    ...[...defined]
      .filter((name) => !included.has(name))
      .map((name) => `${String(name)} is defined and not included`),
    ...set.filter((name) => !isSetting(name)).map((name) => `${name} is set, and is no setting`),
    ...[...templates].flatMap(([name, text]) => blockFaults(name, text)),
    ...[...templates]
      .filter(([name]) => name.endsWith('.yaml'))
      .flatMap(([name, text]) => faultsOfYaml(withoutActions(text)).map((fault) => `${name}: ${fault}`)),
    ...inDefinitions.flatMap((text) =>
      faultsOfYaml(withoutActions(text)).map((fault) => `_helpers.tpl: ${fault}`),
    ),
  ]
}

/** Volumes and their mount paths, ports and secrets: each name that is used is defined in the templates. */
export function referenceFaults(templates: ReadonlyMap<string, string>): string[] {
  const helpers = templates.get('_helpers.tpl') ?? ''
  const part = (name: string): string => helpers.split(`define "${name}"`)[1]?.split('{{- define')[0] ?? ''
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/^- name: (\S+)/gm)].map(([, name = '']) => name)
  const [mounts, volumes] = [namesIn(part('waymark.mounts')), namesIn(part('waymark.volumes'))]
  const paths = [...part('waymark.mounts').matchAll(/mountPath: (\S+)/g)].map(([, path = '']) => path)
  const settingPaths = [...part('waymark.environment').matchAll(/value: (\/\S+)/g)].map(
    ([, path = '']) => path,
  )
  const all = [...templates.values()].join('\n')
  const ports = new Set(
    [...all.matchAll(/- name: (\w+)\n\s+(?:containerPort|port):/g)].map(([, name]) => name),
  )
  const usedPorts = [...all.matchAll(/(?:\bport|targetPort): ([a-z]\w*)$/gm)].map(([, name]) => name)
  return [
    ...mounts.filter((name) => !volumes.includes(name)).map((name) => `${name} is mounted and is no volume`),
    ...volumes
      .filter((name) => !mounts.includes(name))
      .map((name) => `${name} is a volume and nowhere mounted`),
    ...settingPaths
      .filter((file) => !paths.some((path) => file === path || file.startsWith(`${path}/`)))
      .map((file) => `${file} is named in a setting and not mounted`),
    ...usedPorts.filter((name) => !ports.has(name)).map((name) => `the port ${String(name)} is not declared`),
  ]
}
