// Rules for a compose file: every name is declared, there are no default passwords, and no floating image tags.
import { isSetting, isTree, listAt, treeAt, type Tree } from './files.ts'

/** Variables whose default would be publicly known. */
const mustBeGiven = /PASSWORD|_KEY$|^PUBLIC_URL$/

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function mountFaults(service: Tree, document: unknown, has: (file: string) => boolean): string[] {
  const volumes = treeAt(document, 'volumes')
  return listAt(service, 'volumes').flatMap((volume) => {
    const [source = ''] = text(volume).split(':')
    if (source.startsWith('.')) return has(source) ? [] : [`mounts ${source}, which is not there`]
    return source in volumes ? [] : [`uses the volume ${source}, which is not declared`]
  })
}

function nameFaults(service: Tree, document: unknown): string[] {
  const used = [
    ['secrets', listAt(service, 'secrets').map(text)],
    [
      'networks',
      isTree(service['networks']) ? Object.keys(service['networks']) : listAt(service, 'networks').map(text),
    ],
    ['services', Object.keys(treeAt(service, 'depends_on'))],
  ] as const
  return used.flatMap(([kind, names]) =>
    names
      .filter((name) => !(name in treeAt(document, kind)))
      .map((name) => `uses ${name}, which is none of the ${kind}`),
  )
}

/** A node reads only settings; a path in one is that of a mounted secret or folder. */
function nodeFaults(service: Tree): string[] {
  const environment = Object.entries(treeAt(service, 'environment'))
  const places = new Set([
    ...listAt(service, 'secrets').map((name) => `/run/secrets/${text(name)}`),
    ...[...listAt(service, 'volumes'), ...listAt(service, 'tmpfs')].flatMap((mount) =>
      text(mount).split(':'),
    ),
  ])
  return [
    ...environment.filter(([name]) => !isSetting(name)).map(([name]) => `sets ${name}, which is no setting`),
    ...environment
      .filter(([, value]) => text(value).startsWith('/') && !places.has(text(value)))
      .map(([name, value]) => `sets ${name} to ${text(value)}, which it does not have`),
    ...(service['read_only'] === true ? [] : ['could write to its root']),
    ...(places.has('/data') ? [] : ['has nothing at /data']),
    ...(places.has('/tmp') ? [] : ['has no /tmp']),
  ]
}

function dependencyFaults(service: Tree, services: Tree): string[] {
  return Object.entries(treeAt(service, 'depends_on')).flatMap(([name, how]) => {
    const condition = treeAt({ how }, 'how')['condition']
    const other = treeAt(services, name)
    const isChecked = 'healthcheck' in other || other['image'] === 'waymark:local'
    if (condition === 'service_healthy' && !isChecked)
      return [`waits for the health of ${name}, which has no check`]
    return condition === undefined ? [`does not say what of ${name} it waits for`] : []
  })
}

/** @param has whether a path relative to the file's folder exists. */
export function composeFaults(document: unknown, source: string, has: (file: string) => boolean): string[] {
  const services = treeAt(document, 'services')
  const found = Object.entries(services).flatMap(([name, value]) => {
    const service = treeAt({ value }, 'value')
    const image = text(service['image'])
    const isNode = image === 'waymark:local'
    const isPinned = isNode || /:v?\d+\.\d+/.test(image)
    return [
      ...(isPinned ? [] : [`runs ${image || 'no image'}, which is not one version`]),
      ...mountFaults(service, document, has),
      ...nameFaults(service, document),
      ...dependencyFaults(service, services),
      ...(isNode ? nodeFaults(service) : []),
      ...listAt(service, 'ports').flatMap((port) =>
        text(port).startsWith('127.0.0.1:') ? [] : [`opens ${text(port)} to everybody`],
      ),
    ].map((fault) => `${name} ${fault}`)
  })
  const uses = [...source.matchAll(/\$\{(\w+)(:[?-])?/g)]
  const open = uses
    .filter(([, name = '', how]) => mustBeGiven.test(name) && how !== ':?')
    .map(([, name]) => `${name} may be left empty`)
  // Compose expands variables even in the message after :?, and stops at a stray dollar.
  const lines = source.split('\n').filter((line) => !/^\s*#/.test(line))
  const dollars = lines
    .filter((line) => /\$(?!\{\w+(?::[?-][^${}]*)?\})/.test(line))
    .map((line) => `compose cannot read a dollar of this line: ${line.trim()}`)
  return [...found, ...open, ...dollars]
}

/** Variables that a compose file takes from .env. */
export const variablesOf = (source: string): string[] => [
  ...new Set([...source.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)),
]
