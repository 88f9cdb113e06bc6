// A process that converts photos stored twice, to be killed by a test. Arguments: database file, folder of blobs.
import { openDatabase } from '../../../src/database/open-database.ts'
import { createRebuilding } from '../../../src/images/storage/rebuilding.ts'
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts'

const [file = '', folder = ''] = process.argv.slice(2)
const { db } = await openDatabase({ engine: 'sqlite', file })
const blobs = await createFsBlobs(folder)
const rebuilding = createRebuilding({ db, blobs, now: Date.now, restMs: () => 0 })
process.send?.('ready')
await rebuilding.run({ signal: new AbortController().signal, mayContinue: () => Promise.resolve(true) })
process.send?.('done')
process.disconnect?.()
