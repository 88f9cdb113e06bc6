// A process that reads older photos, to be killed by a test. Arguments: database file, folder of blobs.
import { openDatabase } from '../../../src/database/open-database.ts'
import { createBackFill } from '../../../src/images/capture/back-fill.ts'
import { standardLimits } from '../../../src/imaging/image-limits.ts'
import { createRenditions } from '../../../src/imaging/renditions.ts'
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts'

const [file = '', folder = ''] = process.argv.slice(2)
const { db } = await openDatabase({ engine: 'sqlite', file })
const blobs = await createFsBlobs(folder)
const renditions = createRenditions({ limits: standardLimits, jobs: 1, queue: 10, jobSeconds: 10 })
const backFill = createBackFill({ db, blobs, renditions, siteTimeZone: 'UTC', restMs: () => 0 })
process.send?.('ready')
await backFill.run({ signal: new AbortController().signal, mayContinue: () => Promise.resolve(true) })
process.send?.('done')
await renditions.close()
process.disconnect?.()
