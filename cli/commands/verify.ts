// waymark verify: speaks the classic surface of any server, as a client would, and reports where it is not as the contract says.
import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { fail, wrongUsage } from '../failures.ts'
import { clearLine, stoppable } from '../long-work.ts'
import { idOption } from '../options.ts'
import type { Output } from '../output.ts'
import { serverAddress } from '../remote/plain-fetch.ts'
import { createAsker } from '../verify/asker.ts'
import type { Need } from '../verify/check.ts'
import { credentialsFor, type Credentials } from '../verify/credentials.ts'
import { reportOf } from '../verify/report.ts'
import { runChecks } from '../verify/run-checks.ts'
import { createSubject } from '../verify/subject.ts'

interface Options {
  readonly trail?: number
  readonly account?: number
  readonly imageHandlerUrl?: string
  readonly prefixed?: true
  readonly write?: true
  readonly strict?: true
  readonly verbose?: true
  readonly photos: number
  readonly timeout: number
}

const maxPhotos = 50
const maxTimeoutSeconds = 300

function countOption(option: string, most: number) {
  return (text: string): number => {
    const count = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : most + 1
    if (count > most) throw wrongUsage(`${option} must be a whole number from 1 to ${most}.`)
    return count
  }
}

function givenNeeds({ trail, account, write }: Options, { apiKey, token }: Credentials): ReadonlySet<Need> {
  const given: readonly (readonly [Need, unknown])[] = [
    ['trail', trail],
    ['account', account],
    ['key', apiKey],
    ['token', token],
    ['write', write],
  ]
  return new Set(given.flatMap(([need, value]) => (value === undefined ? [] : [need])))
}

/** What there is to read with, in one line: half of what is asked about an answer is which credential it was for. */
function placeLine(baseUrl: string, { trail, account }: Options, given: ReadonlySet<Need>): string {
  const [key, token] = [given.has('key'), given.has('token')]
  const credentials =
    key && token ? 'an API key and a token' : key ? 'an API key' : token ? 'a token' : 'no credential'
  const what = [
    baseUrl,
    ...(trail === undefined ? [] : [`trail ${trail}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
  ]
  return `${what.join(', ')}; with ${credentials}${given.has('write') ? ', writing' : ', reading alone'}`
}

/** On a line that is drawn over, where somebody watches: a slow server takes its time. */
function drawGroup(name: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${clearLine}${name}`)
}

async function run(address: string, options: Options, output: Output): Promise<void> {
  const baseUrl = serverAddress(address, 'URL')
  const imageHandlerUrl =
    options.imageHandlerUrl === undefined
      ? `${baseUrl}/ImageHandler`
      : serverAddress(options.imageHandlerUrl, '--image-handler-url')
  const credentials = await credentialsFor(baseUrl)
  if (credentials.remark !== undefined) output.remark(credentials.remark)
  const given = givenNeeds(options, credentials)
  if (options.write && (!given.has('token') || (!given.has('trail') && !given.has('account'))))
    throw given.has('token')
      ? wrongUsage('--write needs a place to write to: --trail ID, --account ID, or both.')
      : fail('signed-out', '--write needs an access token: set WAYMARK_TOKEN, or run "waymark login".')
  const word = randomBytes(4).toString('hex')
  const stopped = `The checks were stopped.${options.write ? ` What they made is named "waymark verify".` : ''}`
  const result = await stoppable(stopped, (signal) => {
    const { apiKey, token } = credentials
    const timeoutMs = options.timeout * 1_000
    const ask = createAsker({ baseUrl, imageHandlerUrl, apiKey, token, timeoutMs, signal })
    const { trail: trailId, account: accountId, photos, prefixed } = options
    const isPrefixed = prefixed === true
    const subject = createSubject({ ask, given, trailId, accountId, maxPhotos: photos, isPrefixed, word })
    return runChecks(subject, baseUrl, { onGroup: drawGroup }).finally(() => drawGroup(''))
  })
  const { document, lines, exitCode } = reportOf(result, {
    baseUrl,
    isStrict: options.strict === true,
    isVerbose: options.verbose === true,
    secrets: [...credentials.secrets],
  })
  output.answer({ document, lines: [placeLine(baseUrl, options, given), '', ...lines], exitCode })
}

const more = `
Without a key and a token it looks at what a server keeps closed. WAYMARK_API_KEY opens the list and the photos, and
WAYMARK_TOKEN, or "waymark login" at that server, the routes.
  WAYMARK_API_KEY=… npx waymark verify https://trails.example --trail 4711
--write uploads one small grey photo, sets its details, and makes, changes and deletes a route. The photo stays, pending,
until a reviewer rejects it: the interface has no way to take it back. On a server that keeps the same bytes twice there are
two of it. Use a trail that is made for trying.
A breach of what the interface gives (Part A of the contract) ends with 2. What Waymark decided where that leaves a choice
is told as "differs", and counts with --strict alone. A credential that is refused ends with 3.`

export function addVerify(parent: Command, output: Output): void {
  parent
    .command('verify')
    .description('speak the interface of any server, as a client would, and report what is wrong')
    .argument('<URL>', 'where the interface is: https://trails.example, or with a path')
    .option('--trail <trailID>', 'a trail of it, best one with photos', idOption('--trail'))
    .option('--account <acctID>', 'the account of the token, to look at its routes', idOption('--account'))
    .option('--image-handler-url <address>', 'where photos are, if not at URL/ImageHandler')
    .option('--prefixed', 'speak with the prefixes V1 and v1.6, for a server that wants them')
    .option('--write', 'write, too; a pending photo stays on the server')
    .option('--strict', 'also what Waymark decided by itself has to hold')
    .option('--photos <n>', 'how many listed photos to look at', countOption('--photos', maxPhotos), 3)
    .option(
      '--timeout <seconds>',
      'how long an answer may take',
      countOption('--timeout', maxTimeoutSeconds),
      10,
    )
    .option('--verbose', 'every check on a line of its own')
    .addHelpText('after', more)
    .action((address: string, options: Options) => run(address, options, output))
}
