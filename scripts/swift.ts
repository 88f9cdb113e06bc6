// `node scripts/swift.ts`: starts an S3 server for trying out Waymark (Debian's OpenStack Swift), and prints the settings
// for it.
import { startSwift, whyNoSwift } from '../tests/helpers/swift.ts'

const missing = whyNoSwift()
if (missing !== false) {
  process.stderr.write(`It ${missing}\n`)
  process.exit(1)
}
const swift = await startSwift()
for (const [name, value] of Object.entries({ BLOB_URL: swift.blobUrl, ...swift.environment }))
  process.stdout.write(`export ${name}='${value}'\n`)
process.stderr.write(
  `Swift listens on port ${swift.port}, in ${swift.folder}. Ctrl+C ends it and deletes all.\n`,
)
const end = (): void => void swift.end().then(() => process.exit(0))
process.once('SIGINT', end)
process.once('SIGTERM', end)
setInterval(() => undefined, 60_000)
