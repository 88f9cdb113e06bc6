// waymark pull: imports trails, images, submitters and routes from a server with the classic API.
import type { Command } from 'commander'
import { wrongUsage } from '../failures.ts'
import { withExistingInstallation, withWritableInstallation } from '../installation.ts'
import { createLine, stoppable } from '../long-work.ts'
import { repeatedOption } from '../options.ts'
import type { Answer, Output } from '../output.ts'
import { pull, type PullRequest } from '../pull/pull.ts'
import {
  readAllTokens,
  readSecret,
  readWantedTrails,
  requireReportPlace,
  samePeopleOption,
  trailsOption,
} from '../pull/pull-options.ts'
import { openOriginals } from '../pull/sign-in-there.ts'
import { serverAddress } from '../remote/plain-fetch.ts'

interface Options {
  readonly apiKey: string
  readonly token?: readonly string[]
  readonly trails?: readonly number[]
  readonly trailsFile?: string
  readonly routesUrl?: string
  readonly imageHandler?: string
  readonly xml?: boolean
  readonly dryRun?: boolean
  readonly rate: number
  readonly report?: string
  readonly originals?: boolean
  readonly sameAs?: string
  readonly samePeople?: readonly number[] | 'all'
}

const more = `
URL is where the other server has its trails, with its prefix if it has one, such as https://old.example/V1.
A secret given as @FILE is read from that file. A file for --token has a line ACCTID=TOKEN for each account.

IDs, dates, texts, positions and the order of the lists are kept. Submitters become unclaimed accounts, which
cannot sign in until their owner sets a password with a link sent to the email address. Photos that are
already here are not requested again, and changes made here are never overwritten. To continue a pull that was
interrupted, run the same command again.`

const defaultRate = 4
const maxRate = 1_000

function rateOption(text: string): number {
  const rate = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && rate > 0 && rate <= maxRate) return rate
  throw wrongUsage(`--rate must be a number of requests a second, at most ${maxRate.toLocaleString('en')}.`)
}

type Wanted = Omit<PullRequest, 'signal' | 'show'>

async function wantedOf(address: string, options: Options): Promise<Wanted> {
  const base = serverAddress(address, 'URL')
  const { routesUrl, imageHandler, rate, report, xml = false, dryRun = false, sameAs } = options
  const trails = await readWantedTrails(options)
  const accounts = await readAllTokens(options.token ?? [])
  if (trails.length === 0 && accounts.length === 0)
    throw wrongUsage('Nothing to pull: use --trails or --trails-file, and --token for routes.')
  if (report !== undefined) await requireReportPlace(report)
  return {
    base,
    sameAs: sameAs === undefined ? undefined : serverAddress(sameAs, '--same-as'),
    originals: options.originals === true ? await openOriginals(base) : undefined,
    samePeople: options.samePeople ?? [],
    routesBase: routesUrl === undefined ? base : serverAddress(routesUrl, '--routes-url'),
    imageHandler:
      imageHandler === undefined ? `${base}/ImageHandler` : serverAddress(imageHandler, '--image-handler'),
    apiKey: await readSecret(options.apiKey, '--api-key'),
    prefersXml: xml,
    trails,
    accounts,
    isDryRun: dryRun,
    rate,
    report,
  }
}

function pullAndReport(wanted: Wanted): Promise<Answer> {
  const line = createLine<string>(process.stderr, (text) => text)
  const stopped = 'The pull was stopped. Run the same command again, and it continues where it stopped.'
  // A dry run stores nothing, so it does not create an installation either.
  const withOne = wanted.isDryRun ? withExistingInstallation : withWritableInstallation
  return stoppable(stopped, async (signal) => {
    try {
      return await withOne((installation) => pull(installation, { ...wanted, signal, show: line.draw }))
    } finally {
      line.clear()
    }
  })
}

export function addPull(parent: Command, output: Output): void {
  parent
    .command('pull')
    .description('import trails, images and routes from a server with the classic API')
    .argument('<url>', 'the other server, with its prefix if it has one')
    .requiredOption('--api-key <key>', 'its API key, or @FILE')
    .option('--trails <ids>', 'comma-separated trail IDs', trailsOption)
    .option('--trails-file <file>', 'a .csv or .geojson file of trails, which also names empty ones')
    .option(
      '--token <token>',
      'ACCTID=TOKEN, ACCTID=@FILE, or a file of them: pull routes, too',
      repeatedOption,
    )
    .option('--routes-url <url>', 'where the other server has its accounts; by default URL')
    .option('--image-handler <url>', 'its image handler; by default URL/ImageHandler')
    .option('--originals', 'if it is a Waymark: get the originals, with the sign-in of "waymark login" there')
    .option('--same-as <url>', 'the URL that this server was pulled from before')
    .option(
      '--same-people <ids>',
      'comma-separated IDs of accounts that are the same person on both servers, or all',
      samePeopleOption,
    )
    .option('--xml', 'ask for lists in XML, which may contain the email addresses of submitters')
    .option('--dry-run', 'store nothing; print what would be new and every conflict')
    .option('--rate <n>', 'requests per second, at most', rateOption, defaultRate)
    .option('--report <file>', 'write everything that could not be kept to this file, as JSON')
    .addHelpText('after', more)
    .action(async (address: string, options: Options) => {
      output.answer(await pullAndReport(await wantedOf(address, options)))
    })
}
