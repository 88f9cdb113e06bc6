// A real S3 server: Debian's OpenStack Swift with s3api, in a new folder, on loopback, until its parent process ends.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { accessSync, closeSync, constants, openSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lastingPort } from './ports.ts'

/** Debian's own: other Pythons on the PATH do not have Swift's modules. */
const python = '/usr/bin/python3'
const setpriv = '/usr/bin/setpriv'
const services = ['proxy', 'account', 'container', 'object'] as const
type Service = (typeof services)[number]

/**
 * Creates the rings for one device, and forks each server in place of its command. Running four commands would load the
 * same modules four times.
 */
const runner = `
import ctypes, os, sys
import swift.account.server, swift.container.server, swift.obj.server, swift.proxy.server
from swift.common.ring import RingBuilder
from swift.common.wsgi import run_wsgi
folder, ports = sys.argv[1], sys.argv[2:]
os.setxattr(os.path.join(folder, 'devices', 'd1'), 'user.swift', b'1')
for name, port in zip(('account', 'container', 'object'), ports):
    builder = RingBuilder(1, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, name + '.ring.gz'))
callbacks = {'object': {'global_conf_callback': swift.obj.server.global_conf_callback}}
for name in ('account', 'container', 'object', 'proxy'):
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(1, 9)
        log = os.open(os.path.join(folder, name + '.log'), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        conf = os.path.join(folder, name + '.conf')
        sys.exit(run_wsgi(conf, name + '-server', verbose=True, **callbacks.get(name, {})))
os.wait()
`

const pipeline = 'catch_errors proxy-logging cache listing_formats s3api tempauth bulk slo dlo proxy-server'
const patienceMs = 90_000
const bucket = 'waymark'
const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }

export interface Swift {
  /** BLOB_URL of a new bucket. */
  readonly blobUrl: string
  /** The credentials, in the SDK's environment variables. */
  readonly environment: Readonly<Record<string, string>>
  readonly port: number
  /** Configuration, device and logs. Removed by `end`. */
  readonly folder: string
  end(): Promise<void>
}

/** It stores the metadata of objects in extended attributes, which not every file system has. */
const attributeSetter = `
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    os.setxattr(folder, 'user.swift', b'1')
`
let hasAttributes: boolean | undefined

/** The reason why it cannot run here, or false. */
export function whyNoSwift(): string | false {
  const programs = services.map((service) => `/usr/bin/swift-${service}-server`)
  const files = [python, setpriv, '/etc/swift/swift.conf', ...programs]
  try {
    for (const file of files) accessSync(file, constants.R_OK)
  } catch {
    return 'needs Swift: apt-get install swift-proxy swift-account swift-container swift-object'
  }
  hasAttributes ??= spawnSync(python, ['-c', attributeSetter]).status === 0
  return !hasAttributes && 'needs a folder for temporary files whose file system has extended attributes'
}

/** BLOB_URL with a prefix, so that tests share a bucket but no blobs. */
export function blobUrlBelow(blobUrl: string, prefix: string): string {
  return blobUrl.replace('?', `/${prefix}?`)
}

/** BLOB_URL with the port of a proxy. */
export function blobUrlThrough(blobUrl: string, port: number): string {
  return blobUrl.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)
}

function configurationOf(service: Service, port: number, folder: string): string {
  const common = `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${path.join(folder, 'devices')}
mount_check = false
log_level = WARNING
log_statsd_host =
fallocate_reserve = 0
`
  if (service !== 'proxy') {
    return `${common}
[pipeline:main]
pipeline = ${service}-server
[app:${service}-server]
use = egg:swift#${service}
`
  }
  // Nothing listens on memcached's port, so nothing is cached.
  return `${common}
[pipeline:main]
pipeline = ${pipeline}
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
error_suppression_limit = 1000000000
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${credentials.secretAccessKey} .admin
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
allow_multipart_uploads = true
check_bucket_owner = false
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
connect_timeout = 0.1
${pipeline
  .split(' ')
  .filter((name) => !/^(tempauth|s3api|cache|proxy-server)$/.test(name))
  .map((name) => `[filter:${name}]\nuse = egg:swift#${name.replace('proxy-logging', 'proxy_logging')}\n`)
  .join('')}`
}

function startProcess(folder: string, ports: readonly number[]): ChildProcess {
  const log = openSync(path.join(folder, 'start.log'), 'a')
  // The kernel kills it and its servers when this process ends, for any reason.
  const command = ['--pdeathsig', 'KILL', '--', python, '-c', runner, folder, ...ports.map(String)]
  try {
    return spawn(setpriv, command, { stdio: ['ignore', log, log] })
  } finally {
    closeSync(log)
  }
}

async function endProcess(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}

async function logsIn(folder: string): Promise<string> {
  const logs = ['start', ...services].map((name) =>
    readFile(path.join(folder, `${name}.log`), 'utf8').catch(() => ''),
  )
  return (await Promise.all(logs)).map((log) => log.slice(-2_000)).join('\n')
}

/** Creates the bucket, retrying until all four servers are ready. */
async function makeBucket(port: number, child: ChildProcess): Promise<void> {
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
  })
  const end = performance.now() + patienceMs
  try {
    for (;;) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: bucket }))
        return
      } catch (error) {
        const isDead = child.exitCode !== null || child.signalCode !== null
        if (isDead || performance.now() > end) throw error
        await pause(50)
      }
    }
  } finally {
    client.destroy()
  }
}

/**
 * The caller must always stop it.
 * @throws Error with the end of its logs if it does not start.
 */
export async function startSwift(): Promise<Swift> {
  const missing = whyNoSwift()
  if (missing !== false) throw new Error(missing)
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-swift-'))
  const ports = await Promise.all(services.map(() => lastingPort()))
  const [port = 0, ...others] = ports
  let child: ChildProcess | undefined
  const end = async (): Promise<void> => {
    await endProcess(child)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await mkdir(path.join(folder, 'devices', 'd1'), { recursive: true })
    for (const [at, service] of services.entries()) {
      await writeFile(path.join(folder, `${service}.conf`), configurationOf(service, ports[at] ?? 0, folder))
    }
    child = startProcess(folder, others)
    await makeBucket(port, child)
  } catch (error) {
    const logs = await logsIn(folder)
    await end()
    throw new Error(`Swift did not start: ${logs}`, { cause: error })
  }
  return {
    blobUrl: `s3://${bucket}?endpoint=http://127.0.0.1:${port}&region=us-east-1&path-style=true`,
    environment: {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    port,
    folder,
    end,
  }
}
