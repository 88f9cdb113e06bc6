// WRONG ON PURPOSE: the real server, but the id of an image is the second of its upload.
import { serveWrong } from './serve-wrong.ts'

await serveWrong({ system: { now: () => Date.now(), newId: () => Math.floor(Date.now() / 1_000) } })
