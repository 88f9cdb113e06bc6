// The system's nginx with its own configuration and folders. It does not touch an nginx that may be running here.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Absent } from './bench.ts'
import { watchChild, type Child } from './child.ts'

export const nginxName = 'nginx'
const startMs = 10_000

export interface Nginx extends Child {
  readonly port: number
  /** Its document root. */
  readonly root: string
}

export interface NginxOptions {
  /** Created if missing. Contains all of its files. */
  readonly folder: string
  /** Additional lines for the server block, such as locations. */
  readonly lines?: readonly string[]
}

function findNginx(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => path.join(folder, 'nginx')).find((file) => existsSync(file))
}

/** Such as `nginx/1.22.1`; undefined if it is not installed. */
export function nginxVersion(): string | undefined {
  const file = findNginx()
  if (file === undefined) return undefined
  try {
    // It prints the version to standard error.
    const said = execFileSync('/bin/sh', ['-c', '"$0" -v 2>&1', file], { encoding: 'utf8' })
    return /nginx\/\S+/.exec(said)?.[0]
  } catch {
    return undefined
  }
}

/** A free port. nginx cannot choose one itself; if another program takes it first, nginx fails. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function configuration(folder: string, port: number, lines: readonly string[]): string {
  const at = (name: string): string => `"${path.join(folder, name)}"`
  return `# Written by the benchmark. One worker, as Waymark is one process; the access log as nginx keeps it by default.
${process.getuid?.() === 0 ? `user ${userInfo().username};` : ''}
worker_processes 1;
daemon off;
pid ${at('pid')};
error_log ${at('error.log')} warn;
events { worker_connections 1024; }
http {
  access_log ${at('access.log')};
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  client_max_body_size 64m;
  types { image/jpeg jpg jpeg; application/json json; application/xml xml; }
  client_body_temp_path ${at('temp')};
  proxy_temp_path ${at('temp-proxy')};
  fastcgi_temp_path ${at('temp-fastcgi')};
  uwsgi_temp_path ${at('temp-uwsgi')};
  scgi_temp_path ${at('temp-scgi')};
  server {
    listen 127.0.0.1:${port};
    root ${at('root')};
    ${lines.join('\n    ')}
  }
}
`
}

/** @throws Error with nginx's output if it is installed and does not start. */
export async function startNginx({ folder, lines = [] }: NginxOptions): Promise<Nginx | Absent> {
  const file = findNginx()
  if (file === undefined)
    return { name: nginxName, absent: 'nginx is not installed (apt-get install nginx-light).' }
  const root = path.join(folder, 'root')
  await mkdir(root, { recursive: true })
  const port = await freePort()
  const config = path.join(folder, 'nginx.conf')
  await writeFile(config, configuration(folder, port, lines))
  const child = spawn(file, ['-p', folder, '-c', config, '-e', path.join(folder, 'error.log')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text
  })
  const nginx = watchChild(child, nginxName, () => words)
  const deadline = performance.now() + startMs
  // nginx writes this file once it listens. Connecting would prove nothing, since another program may listen on the port.
  while (!existsSync(path.join(folder, 'pid'))) {
    const death =
      nginx.death() ?? (performance.now() > deadline ? `nginx did not start: ${words}` : undefined)
    if (death !== undefined) {
      await nginx.close()
      throw new Error(death)
    }
    await sleep(20)
  }
  return { ...nginx, port, root }
}
