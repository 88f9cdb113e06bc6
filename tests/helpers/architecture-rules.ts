// The architecture rules as a function from sources to violations, so that a test can also run it on seeded violations.
import path from 'node:path'
import { findCircles } from './architecture-circles.ts'
import { keepers } from './architecture-packages.ts'

/** Maps a path relative to the project root, with `/`, to the file's text. */
export type Sources = ReadonlyMap<string, string>

/**
 * The rooms of src/ that each room may import, besides itself, from the bottom up. app, main and demo may import
 * everything.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: ['shared'],
  commits: [],
  system: [],
  shared: [],
  texts: ['errors', 'shared'],
  site: ['shared', 'texts'],
  mail: [],
  settings: ['auth', 'database'],
  jobs: ['shared', 'database'],
  storage: ['errors', 'shared', 'settings', 'jobs'],
  database: ['texts', 'errors', 'commits', 'shared', 'settings', 'storage'],
  imaging: ['texts', 'errors', 'shared', 'storage'],
  accounts: ['texts', 'errors', 'system', 'shared', 'database'],
  auth: ['texts', 'errors', 'system', 'shared', 'storage', 'database', 'accounts', 'site'],
  http: ['texts', 'jobs', 'errors', 'commits', 'shared', 'auth', 'site'],
  idempotency: ['errors', 'database'],
  events: [
    'texts',
    'jobs',
    'errors',
    'commits',
    'system',
    'shared',
    'database',
    'idempotency',
    'accounts',
    'auth',
    'http',
    'mail',
  ],
  'site-settings': ['errors', 'commits', 'shared', 'database', 'accounts', 'auth', 'http', 'site'],
  'sign-in': ['texts', 'errors', 'shared', 'database', 'accounts', 'auth', 'http', 'mail', 'site'],
  admin: ['texts', 'errors', 'jobs', 'settings', 'shared', 'database', 'accounts', 'auth', 'http', 'sign-in'],
  me: ['texts', 'errors', 'shared', 'database', 'accounts', 'idempotency', 'auth', 'http', 'sign-in'],
  metrics: ['errors', 'shared', 'http'],
  tracing: ['errors', 'settings', 'database', 'storage', 'http'],
  trails: ['errors', 'system', 'shared', 'database', 'accounts', 'events', 'idempotency', 'auth', 'http'],
  images: [
    'texts',
    'errors',
    'commits',
    'system',
    'shared',
    'database',
    'events',
    'idempotency',
    'site-settings',
    'auth',
    'http',
    'imaging',
    'storage',
  ],
  'account-routes': [
    'texts',
    'errors',
    'system',
    'shared',
    'database',
    'events',
    'idempotency',
    'auth',
    'http',
  ],
  review: [
    'texts',
    'errors',
    'system',
    'shared',
    'database',
    'accounts',
    'site-settings',
    'events',
    'auth',
    'http',
  ],
  notifications: ['texts', 'jobs', 'errors', 'shared', 'database', 'accounts', 'events', 'auth', 'mail'],
  maps: ['errors', 'commits', 'shared', 'database', 'auth', 'http', 'images'],
  'base-map': [
    'errors',
    'shared',
    'storage',
    'database',
    'accounts',
    'auth',
    'http',
    'events',
    'site-settings',
  ],
  'web-app': ['errors', 'commits', 'texts', 'shared', 'auth', 'http', 'site'],
  'account-data': [
    'errors',
    'texts',
    'shared',
    'database',
    'accounts',
    'events',
    'auth',
    'http',
    'images',
    'storage',
  ],
  operations: ['errors', 'jobs', 'settings', 'storage', 'database', 'accounts', 'auth', 'images'],
  'site-export': [
    'errors',
    'settings',
    'shared',
    'storage',
    'database',
    'auth',
    'trails',
    'images',
    'imaging',
    'account-routes',
  ],
  installation: ['errors', 'system', 'settings', 'storage', 'database'],
}
const knowsEverything = new Set(['app', 'main', 'demo'])

/** Vite requires a default export, and its config names the replacements for process.env. */
const isViteConfig = (file: string): boolean => /^web\/vite\.(?:server\.)?config\.ts$/.test(file)

const maxLines = 300

interface Import {
  readonly from: string
  readonly isTypeOnly: boolean
}

function importsOf(text: string): Import[] {
  const statements = text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?(?:[\s\S]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  )
  const calls = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)
  return [
    ...[...statements].map(([, type, from = '']) => ({ from, isTypeOnly: type !== undefined })),
    ...[...calls].map(([, from = '']) => ({ from, isTypeOnly: false })),
  ]
}

/** `src/images/upload/upload.ts` → `images`; `src/app.ts` → `app`. */
function roomOf(file: string): string | undefined {
  return /^src\/([^/.]+)/.exec(file)?.[1]
}

function importViolations(file: string, text: string): string[] {
  const room = roomOf(file)
  const violations: string[] = []
  for (const { from, isTypeOnly } of importsOf(text)) {
    if (from.startsWith('.')) {
      const target = path.posix.join(path.posix.dirname(file), from)
      const targetRoom = roomOf(target)
      if (room === undefined || targetRoom === undefined || room === targetRoom) {
        if (room !== undefined && targetRoom === undefined)
          violations.push(`${file} imports ${target}, which is outside src/`)
        continue
      }
      const isAllowed = knowsEverything.has(room) || (mayImport[room] ?? []).includes(targetRoom)
      if (!isAllowed) violations.push(`${file} imports ${targetRoom}/, which ${room}/ must not know`)
      continue
    }
    const name = from.startsWith('node:')
      ? from
      : from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/')
    const keeper = keepers[name]
    if (file.startsWith('src/') && keeper && !keeper.test(file))
      violations.push(`${file} imports ${name}, which has its own place`)
    if (room === 'shared' && from.startsWith('node:'))
      violations.push(`${file} imports ${from}, which no browser has`)
    if (name === 'fastify' && !isTypeOnly && file.startsWith('src/') && room !== 'http') {
      const isTypes = !/import\s+(?!type\b)(?!\{\s*type\b)[^'"]*from 'fastify'/.test(text)
      if (!isTypes) violations.push(`${file} makes a Fastify instance; only http/ does`)
    }
  }
  return violations
}

/**
 * Only client/types.ts may import types from shared/: they are inlined when the SDK is packed. No other file of client/
 * imports anything outside it. web/ may import shared/ and client/.
 */
function outsideViolations(file: string, text: string): string[] {
  const home = /^(client|web)\//.exec(file)?.[1]
  if (home === undefined || file.startsWith('web/build/') || isViteConfig(file)) return []
  return importsOf(text).flatMap(({ from, isTypeOnly }) => {
    if (from.startsWith('node:')) return [`${file} imports ${from}, which no browser has`]
    if (!from.startsWith('.')) {
      const isTypes = isTypeOnly && from === 'typebox'
      return home === 'client' && !isTypes ? [`${file} imports ${from}, and the SDK has no dependencies`] : []
    }
    const target = path.posix.join(path.posix.dirname(file), from)
    if (target.startsWith(`${home}/`)) return []
    if (target.startsWith('src/shared/') && (home === 'web' || file === 'client/types.ts')) return []
    if (home === 'web' && target === 'client/client.ts') return []
    return [`${file} imports ${target}, which ${home}/ must not know`]
  })
}

function textViolations(file: string, text: string): string[] {
  const lines = text.split('\n')
  const start = lines.slice(0, 5).join('\n')
  const isOurs = /^(src|cli|client|web)\//.test(file)
  const found: [boolean, string][] = [
    [!/^(#!.*\n)?\/\/ \S/.test(text), 'does not say in its first line what it is for'],
    [
      lines.length - 1 > maxLines && !/over 300 lines because/i.test(start),
      `has ${lines.length - 1} lines and no reason for it`,
    ],
    [
      /\bprocess\.env\b/.test(text) && file !== 'src/settings/config.ts' && !isViteConfig(file) && isOurs,
      'reads process.env; only src/settings/config.ts does',
    ],
    [/^export default\b/m.test(text) && !isViteConfig(file), 'has a default export'],
    [/^(export )?class\b/m.test(text) && file !== 'src/errors.ts' && isOurs, 'declares a class'],
    [
      /\bBuffer\b/.test(text.replaceAll(/\/\/.*$/gm, '')) && file.startsWith('src/shared/'),
      'uses Buffer, which no browser has',
    ],
    [new RegExp(['TO', 'DO\\b|FIX', 'ME\\b'].join('')).test(text), 'leaves something for later'],
    [
      new RegExp(
        ['@ts-', '(ignore|expect-error|nocheck)|oxlint-', 'disable|eslint-', 'disable'].join(''),
      ).test(text),
      'silences a check',
    ],
  ]
  return found.filter(([isFound]) => isFound).map(([, what]) => `${file} ${what}`)
}

/** Two files may import each other. With three, none can be understood by itself. */
function circleViolations(sources: Sources): string[] {
  const ours = [...sources].filter(([file]) => /^(src|cli|client|web)\//.test(file))
  const graph = ours.map(([file, text]): [string, string[]] => {
    const targets = importsOf(text).map(({ from }) => path.posix.join(path.posix.dirname(file), from))
    return [file, [...new Set(targets)].filter((target) => sources.has(target))]
  })
  return findCircles(new Map(graph)).map(
    (circle) => `${[...circle, circle[0]].join(' → ')} is a circle of ${circle.length} files`,
  )
}

/** Every violation, one sentence each. */
export function findViolations(sources: Sources): string[] {
  const ofOneFile = [...sources].flatMap(([file, text]) =>
    file.startsWith('src/')
      ? textViolations(file, text).concat(importViolations(file, text))
      : textViolations(file, text).concat(outsideViolations(file, text)),
  )
  return ofOneFile.concat(circleViolations(sources))
}

/** Rooms of src/ that have no rule, for a test that the rules cover all of them. */
export function roomsWithoutRule(sources: Sources): string[] {
  const rooms = new Set([...sources.keys()].map(roomOf).filter((room) => room !== undefined))
  return [...rooms].filter((room) => !(room in mayImport) && !knowsEverything.has(room))
}
