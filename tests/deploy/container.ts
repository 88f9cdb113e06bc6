// Runs an image as in deploy/compose.yaml: a read-only root, its own user without capabilities, only /data and /tmp
// writable, and a network with only loopback.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { BuiltImage } from './engine.ts'

const run = promisify(execFile)
const startMs = 60_000

const inMemory = '--dev /dev --proc /proc --perms 1777 --tmpfs /tmp'.split(' ')
/** The server is process 1, as in a pod. */
const alone =
  '--unshare-net --unshare-ipc --unshare-uts --unshare-pid --as-pid-1 --info-fd 3 --clearenv'.split(' ')
const withoutRights = ['--clear-groups', '--no-new-privs', '--bounding-set=-all']

export interface Container {
  /** Its stderr so far. */
  said(): string
  /**
   * Runs a command inside, like `docker exec`.
   * @returns its output.
   */
  exec(...words: readonly string[]): Promise<string>
  /** Runs bash on this machine in the container's network, with `waymark` as the image's command. */
  shell(script: string): Promise<string>
  /**
   * Like `docker stop`.
   * @returns the exit code.
   */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

/**
 * @param data the folder for /data.
 * @param settings those of compose.
 */
export async function startContainer(
  image: BuiltImage,
  data: string,
  settings: Readonly<Record<string, string>>,
): Promise<Container> {
  const { config } = image
  const [uid = '', gid = ''] = config.user.split(':')
  const environment = { ...config.environment, ...settings, HOME: '/nonexistent' }
  const variables = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value])
  const files = [
    '--ro-bind',
    image.root,
    '/',
    ...inMemory,
    '--bind',
    data,
    '/data',
    '--chdir',
    config.workdir,
  ]
  const asItsUser = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, ...withoutRights]
  const words = [...files, ...alone, ...variables, ...asItsUser, ...config.command]
  const child = spawn('bwrap', words, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const over = once(child, 'close') as Promise<[number | null]>
  let heard = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))
  const info = await text(child.stdio[3] as NodeJS.ReadableStream)
  const pid = /"child-pid": (\d+)/.exec(info)?.[1]
  assert.ok(pid !== undefined, `bwrap did not start it: ${heard}`)
  const kill = async (): Promise<void> => {
    if (child.exitCode === null) process.kill(Number(pid), 'SIGKILL') // and with process 1 all others
    await over
  }
  const late = AbortSignal.timeout(startMs)
  while (!heard.includes('Waymark listens on')) {
    const more = once(child.stderr ?? child, 'data', { signal: late })
    await Promise.race([more, over.then(() => assert.fail(`it ended: ${heard}`))])
  }

  const inside = ['--target', pid, '--mount', '--net', '--pid', '--ipc', '--uts', '--root', '--wd']
  const asUser = [...inside, '--setuid', uid, '--setgid', gid]
  const commandOfImage = `waymark() { nsenter ${asUser.join(' ')} waymark "$@"; }`
  return {
    said: () => heard,
    async exec(...words) {
      const { stdout } = await run('nsenter', [...asUser, ...words], { env: environment })
      return stdout
    },
    async shell(script) {
      const words = [
        '--target',
        pid,
        '--net',
        'bash',
        '-euo',
        'pipefail',
        '-c',
        `${commandOfImage}\n${script}`,
      ]
      const PATH = `${process.env['PATH']}:/usr/bin:/bin`
      return (await run('nsenter', words, { env: { ...environment, PATH } })).stdout
    },
    async stop() {
      process.kill(Number(pid), 'SIGTERM')
      const [code] = await over
      return code
    },
    kill,
  }
}
