// waymark verify: tests the classic surface of any server as a client, and reports deviations from the contract.
import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { fail, wrongUsage } from '../failures.ts'
import { clearLine, stoppable } from '../long-work.ts'
import { longIdOption } from '../options.ts'
import type { Output } from '../output.ts'
import { serverAddress } from '../remote/plain-fetch.ts'
import { createAsker } from '../verify/asker.ts'
import type { Need } from '../verify/check.ts'
import { credentialsFor, type Credentials } from '../verify/credentials.ts'
import { reportOf } from '../verify/report.ts'
import { runChecks } from '../verify/run-checks.ts'
import { createSubject } from '../verify/subject.ts'

interface Options {
  readonly trail?: string
  readonly account?: string
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

function countOption(option: string, max: number) {
  return (text: string): number => {
    const count = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : max + 1
    if (count > max) throw wrongUsage(`${option} must be a whole number from 1 to ${max}.`)
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

/** The available credentials, in one line: the first question about a result is usually which credential was used. */
function placeLine(baseUrl: string, { trail, account }: Options, given: ReadonlySet<Need>): string {
  const [key, token] = [given.has('key'), given.has('token')]
  const credentials =
    key && token ? 'an API key and a token' : key ? 'an API key' : token ? 'a token' : 'no credential'
  const what = [
    baseUrl,
    ...(trail === undefined ? [] : [`trail ${trail}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
  ]
  return `${what.join(', ')}; with ${credentials}${given.has('write') ? ', writing' : ', read-only'}`
}

/** A progress line in a terminal, since a slow server takes a while. */
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
      ? wrongUsage('--write requires --trail ID, --account ID, or both.')
      : fail('signed-out', '--write requires an access token: set WAYMARK_TOKEN, or run "waymark login".')
  const word = randomBytes(4).toString('hex')
  const stopped = `The checks were cancelled.${options.write ? ` Anything they created is named "waymark verify".` : ''}`
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
Without credentials it checks only that access is refused. Set WAYMARK_API_KEY to check lists and photos, and
WAYMARK_TOKEN, or run "waymark login" at that server, to check routes.
  WAYMARK_API_KEY=… waymark verify https://trails.example --trail 4711
--write uploads one small grey photo, sets its details, and creates, changes and deletes a route. The photo stays pending
until a reviewer rejects it: the API has no way to delete it. A server that does not deduplicate uploads ends up with
two. Use a test trail.
A violation of the specified API (Part A of the contract) exits with 2. Where the specification leaves a choice and the
server differs from Waymark, it is reported as "differs", which counts only with --strict. A refused credential exits with 3.`

export function addVerify(parent: Command, output: Output): void {
  parent
    .command('verify')
    .description('test the API of any server as a client would, and report what is wrong')
    .argument('<URL>', 'base URL of the API, such as https://trails.example')
    .option('--trail <trailID>', 'a trail on the server, preferably with photos', longIdOption('--trail'))
    .option('--account <acctID>', 'the account of the token, to check its routes', longIdOption('--account'))
    .option('--image-handler-url <address>', 'address of the image handler, if not URL/ImageHandler')
    .option('--prefixed', 'use the prefixes V1 and v1.6, for a server that requires them')
    .option('--write', 'also test writing; leaves a pending photo on the server')
    .option('--strict', 'count differences from the decisions of Waymark as failures')
    .option('--photos <n>', 'number of published photos to check', countOption('--photos', maxPhotos), 3)
    .option('--timeout <seconds>', 'response timeout', countOption('--timeout', maxTimeoutSeconds), 10)
    .option('--verbose', 'print every check')
    .addHelpText('after', more)
    .action((address: string, options: Options) => run(address, options, output))
}
