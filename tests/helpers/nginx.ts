// Runs Debian's nginx in front of nodes with the files of deploy/. Only addresses, folders and cache times differ from
// production.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { lastingPort } from './ports.ts'

const deploy = path.resolve(import.meta.dirname, '../../deploy')
const places = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx']
const found = places.find((file) => existsSync(file))
const startMs = 60_000

/** The reason for skipping; false if nginx is installed. */
export const whyNoNginx = (): string | false => found === undefined && 'nginx is not installed'

export interface Front {
  readonly url: string
  /** nginx's error log so far. */
  errors(): Promise<string>
  end(): Promise<void>
}

export interface FrontOptions {
  /** URLs of the nodes, such as http://127.0.0.1:4711. */
  readonly nodes: readonly string[]
  /** Any free port by default. Set it if PUBLIC_URL of the nodes had to be known first. */
  readonly port?: number
}

type Replacements = readonly (readonly [theirs: RegExp, ours: string])[]

const user = process.getuid?.() === 0 ? `user ${userInfo().username};` : ''

/** @throws Error if a line to replace is missing. */
function replaced(file: string, theirs: string, replacements: Replacements): string {
  let text = theirs
  for (const [pattern, ours] of replacements) {
    if (text.search(pattern) < 0) throw new Error(`deploy/${file} has no ${pattern.source} any more.`)
    text = text.replace(pattern, ours)
  }
  return text
}

/** deploy/nginx.conf for these nodes; everything is written below the folder. */
async function rendered(folder: string, port: number, nodes: readonly string[]): Promise<string> {
  const text = await readFile(path.join(deploy, 'nginx.conf'), 'utf8')
  const [, howItIsTried = ''] = /server node1:8080 ([^;]*);/.exec(text) ?? []
  const servers = nodes.map((node) => `server ${new URL(node).host} ${howItIsTried};`)
  const inside = replaced('nginx.conf', text, [
    [/^pid .*;$/m, `pid ${folder}/pid;`],
    [/^error_log .*;$/m, `error_log ${folder}/error.log warn;`],
    [/access_log \/dev\/stdout waymark;/, `access_log ${folder}/access.log waymark;`],
    [/(?:server node\d:8080 [^\n]*\n\s*)+/, `${servers.join('\n    ')}\n    `],
    [/listen 8080;/, `listen 127.0.0.1:${port};`],
    [/\/tmp\/nginx-/g, `${folder}/temp-`],
  ])
  return `${user}\n${inside}`
}

/** deploy/nginx-cache.conf in front of one node, with this cache time. */
async function renderedCache(folder: string, port: number, node: string, keptSeconds: number) {
  const text = await readFile(path.join(deploy, 'nginx-cache.conf'), 'utf8')
  const inside = replaced('nginx-cache.conf', text, [
    [/\/var\/cache\/nginx-waymark/, `${folder}/cache`],
    [/server 127\.0\.0\.1:8080;/, `server ${new URL(node).host};`],
    [/listen 80;/, `listen 127.0.0.1:${port};`],
    [/proxy_cache_valid 200 1m;/, `proxy_cache_valid 200 ${keptSeconds}s;`],
    [/proxy_cache_valid 200 30s;/, `proxy_cache_valid 200 ${keptSeconds}s;`],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return [
    user,
    `pid ${folder}/pid;`,
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${folder}/temp-${name};`),
    inside,
    '}',
  ].join('\n')
}

/** @throws Error with nginx's output if it does not start. */
export const startNginx = ({ nodes, port }: FrontOptions): Promise<Front> =>
  start(port, (folder, listenOn) => rendered(folder, listenOn, nodes))

/** The same with deploy/nginx-cache.conf. */
export const startCachingNginx = (node: string, keptSeconds: number): Promise<Front> =>
  start(undefined, (folder, listenOn) => renderedCache(folder, listenOn, node, keptSeconds))

async function start(
  port: number | undefined,
  render: (folder: string, port: number) => Promise<string>,
): Promise<Front> {
  if (found === undefined) throw new Error('nginx is not installed')
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-nginx-'))
  const listenOn = port ?? (await lastingPort())
  const errorLog = path.join(folder, 'error.log')
  await writeFile(path.join(folder, 'nginx.conf'), await render(folder, listenOn))
  const words = ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', errorLog, '-g', 'daemon off;']
  const child = spawn(found, words, { stdio: 'ignore' })
  const over = once(child, 'close')
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await over
    await rm(folder, { recursive: true, force: true })
  }
  const errors = (): Promise<string> => readFile(errorLog, 'utf8').catch(() => '')
  const until = performance.now() + startMs
  // nginx writes this file once it listens.
  while (!existsSync(path.join(folder, 'pid'))) {
    if (child.exitCode !== null || performance.now() > until) {
      const why = await errors()
      await end()
      throw new Error(`nginx did not start: ${why}`)
    }
    await wait(20)
  }
  return { url: `http://127.0.0.1:${listenOn}`, errors, end }
}
