// Kills pulls with SIGKILL at chosen steps, and resumes them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { runJson, startChild, type RunOptions } from './run-waymark.ts'
import type { PullDocument } from './pull-helpers.ts'

type Step = 'came' | 'half' | 'sent'

/** Ends the running pull once a number of requests has reached a step. */
export function createKiller() {
  const counts: Record<Step, number> = { came: 0, half: 0, sent: 0 }
  let wanted: { readonly step: Step; readonly at: number; readonly kill: () => void } | undefined
  return {
    /** Reports the progress of one request on the server. */
    onStep: (step: Step): void => {
      counts[step] += 1
      if (wanted?.step !== step || counts[step] < wanted.at) return
      const { kill } = wanted
      wanted = undefined
      kill()
    },
    /** @param after number of further requests that reach the step first. */
    arm: (step: Step, after: number, kill: () => void): void => {
      wanted = { step, at: counts[step] + after, kill }
    },
    /** The pull has come to its end. */
    disarm: (): void => {
      wanted = undefined
    },
  }
}

export type Killer = ReturnType<typeof createKiller>

const steps: readonly Step[] = ['came', 'half', 'sent']

/** Starts the command with --json and without stdin. */
function startPull(args: readonly string[], options: RunOptions) {
  const child = startChild([...args, '--json'], options)
  const ended = once(child, 'close') as Promise<[number | null, string | null]>
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  child.stdin.end()
  return { child, ended, said: () => stderr }
}

/**
 * Runs the command until it has been killed this often, at varying steps and after varying numbers of requests, and then
 * to its end.
 * @param requests expected total.
 */
export async function pullKilled(
  args: readonly string[],
  options: RunOptions,
  { killer, kills, requests }: { readonly killer: Killer; readonly kills: number; readonly requests: number },
): Promise<PullDocument> {
  const usual = Math.floor((requests * 0.8) / kills)
  for (let kill = 0; kill < kills; kill += 1) {
    const { child, ended, said } = startPull(args, options)
    child.stdout.resume()
    // Never the first request again, which the previous kill interrupted.
    const after = 2 + ((kill * 37) % usual) + (kill % 2 === 0 ? 0 : Math.floor(usual / 2))
    killer.arm(steps[kill % steps.length] ?? 'came', after, () => child.kill('SIGKILL'))
    const [, signal] = await ended
    assert.equal(signal, 'SIGKILL', `pull ${kill + 1} came to its end before it was killed: ${said()}`)
  }
  const last = await runJson(args, options)
  const document = last.document as PullDocument
  assert.equal(last.exitCode, 0, JSON.stringify(document))
  assert.equal(document.resumed, true)
  return document
}

/**
 * Runs the command until it comes to its end, and kills each run before at a random step of a random request.
 * @param die numbers from 0 to 1.
 * @param most requests of one run.
 * @returns its document, and how often it was killed.
 */
export async function pullKilledAtRandom(
  args: readonly string[],
  options: RunOptions,
  { killer, die, most }: { readonly killer: Killer; readonly die: () => number; readonly most: number },
): Promise<{ readonly document: PullDocument; readonly kills: number }> {
  for (let kills = 0; ; kills += 1) {
    const { child, ended, said } = startPull(args, options)
    const written = text(child.stdout)
    const step = steps[Math.floor(die() * steps.length)] ?? 'came'
    // Never the first request again, as above.
    killer.arm(step, 2 + Math.floor(die() * (most - 1)), () => child.kill('SIGKILL'))
    const [exitCode, signal] = await ended
    if (signal === 'SIGKILL') continue
    killer.disarm()
    const document = JSON.parse(await written) as PullDocument
    assert.equal(exitCode, 0, said() + JSON.stringify(document))
    return { document, kills }
  }
}
