// waymark export --site: the whole site in open formats, as one zip.
import type { Command } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { imageLimitsFrom } from '../../src/imaging/image-limits.ts'
import { createRenditions } from '../../src/imaging/renditions.ts'
import { requireFreeName, writeDurably } from '../../src/operations/backup/backup-file.ts'
import { createSiteExport, type SiteExportReport } from '../../src/site-export/site-export.ts'
import { exitCodes, wrongUsage } from '../failures.ts'
import { withExistingInstallation } from '../installation.ts'
import { createProgressLine, stoppable } from '../long-work.ts'
import { counted, sized, type Output } from '../output.ts'

interface Options {
  readonly site: string
  readonly public?: true
  readonly everything?: true
  readonly force?: true
}

type Scope = 'public' | 'everything'

function scopeOf({ public: isPublic, everything }: Options): Scope {
  if (isPublic && everything) throw wrongUsage('Use either --public or --everything.')
  return everything ? 'everything' : 'public'
}

const writeExport = (file: string, scope: Scope): Promise<SiteExportReport> =>
  withExistingInstallation(async ({ config, database, blobs, system }) => {
    const { jobs, jobQueue: queue, jobSeconds } = config
    const renditions = createRenditions({ limits: imageLimitsFrom(config), jobs, queue, jobSeconds })
    const progress = createProgressLine(process.stderr)
    const now = () => system.now()
    const { version } = packageFile
    const site = createSiteExport({ config, database, blobs, renditions, now, version })
    try {
      return await stoppable('The export was cancelled; the incomplete file was removed.', (signal) =>
        writeDurably(file, (sink) => site.run({ scope, sink, signal, onProgress: progress.draw })),
      )
    } finally {
      progress.clear()
      await renditions.close()
    }
  })

export function addExport(parent: Command, output: Output): void {
  parent
    .command('export')
    .description('export the site to a zip file in open formats: public data, or everything')
    .requiredOption('--site <file>', 'file to write (required), such as site.zip')
    .option('--public', 'what any visitor can see (the default)')
    .option('--everything', 'everything, including private data and original photos')
    .option('--force', 'overwrite an existing file')
    .action(async (options: Options) => {
      const { site: file, force } = options
      const scope = scopeOf(options)
      await requireFreeName(file, force === true)
      const { counts, missing, bytes, createdAt } = await writeExport(file, scope)
      const { trails = 0, images = 0, routes = 0 } = counts
      const amount = `${counted(trails, 'trail')}, ${counted(images, 'photo')} and ${counted(routes, 'route')}`
      output.answer({
        document: { ok: missing === 0, file, scope, createdAt, counts, missing, bytes },
        exitCode: missing > 0 ? exitCodes.refused : exitCodes.ok,
        lines: [
          `Wrote ${amount} to ${file}: ${sized(bytes)}.`,
          ...(scope === 'everything'
            ? ['The file contains private data: store it where only you can read it.']
            : []),
          ...(missing > 0
            ? [`${counted(missing, 'file')} could not be read; see MISSING.txt in the zip.`]
            : []),
        ],
      })
    })
}
