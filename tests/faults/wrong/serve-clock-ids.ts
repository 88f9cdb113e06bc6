// WRONG ON PURPOSE: the real server, but an image's id is the second of its upload.
import { serveWrong } from './serve-wrong.ts'

await serveWrong({ system: { now: () => Date.now(), newId: () => Math.floor(Date.now() / 1_000) } })
