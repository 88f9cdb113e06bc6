// The commands in the runbooks, and the conditions each needs.
import { pagesIn } from './debian.ts'
import { read } from './files.ts'

export interface RunbookCommand {
  readonly runbook: string
  readonly command: string
  /** The situation that the runbook is about. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Text in backticks that starts with one of them and has more words is a command. */
const programs: ReadonlySet<string> = new Set([
  'waymark',
  'systemctl',
  'journalctl',
  'curl',
  'df',
  'du',
  'ls',
  'ps',
  'fuser',
  'dmesg',
  'sudo',
  'psql',
  'docker',
  'kubectl',
])

/** For containers and Kubernetes; the tests of the image and the chart cover them. */
const ofOtherLayouts: ReadonlySet<string> = new Set(['docker', 'kubectl'])

const around: Readonly<Record<string, Partial<RunbookCommand>>> = {
  'waymark move --to-blobs file:/mnt/photos/blobs': {
    before: ['install -d -o waymark -g waymark /mnt/photos'],
    after: ['waymark read-only off'],
  },
  'systemctl stop waymark': {
    after: [
      'systemctl start waymark',
      'curl -sS --retry 20 --retry-connrefused http://127.0.0.1:8080/health/ready',
    ],
  },
  'systemctl status waymark': { before: ['systemctl start waymark'] },
  'waymark keys revoke wm_12345678': {
    // The reader has the prefix of one of their keys.
    command: `waymark keys revoke $(waymark keys create --account 42 --name flood --json | grep -o '"prefix":"[^"]*' | cut -d'"' -f4)`,
  },
}

const commandsOf = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)]
    .map(([, span = '']) => span)
    .filter((span) => span.includes(' ') && programs.has(span.split(' ')[0] ?? ''))

/** In the order of the runbooks. */
export async function runbookCommands(): Promise<RunbookCommand[]> {
  const found: RunbookCommand[] = []
  for (const name of await pagesIn('docs/runbooks'))
    for (const command of commandsOf(await read(`docs/runbooks/${name}`)))
      if (!ofOtherLayouts.has(command.split(' ')[0] ?? ''))
        found.push({ runbook: name.replace('.md', ''), command, before: [], after: [], ...around[command] })
  return found
}
