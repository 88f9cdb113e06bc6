// The thread that paints: takes jobs, and answers each with the bytes of a file.
import { parentPort } from 'node:worker_threads'
import { createPhotoPainter, type PaintJob } from './paint-photo.ts'

export interface PaintRequest {
  readonly index: number
  readonly job: PaintJob
}

export interface PaintAnswer {
  readonly index: number
  readonly bytes: Uint8Array
}

const paint = createPhotoPainter()

async function answer({ index, job }: PaintRequest): Promise<void> {
  // Copied, so that it can be handed over: memory of sharp cannot.
  const bytes = new Uint8Array(await paint(job))
  const painted: PaintAnswer = { index, bytes }
  parentPort?.postMessage(painted, [bytes.buffer])
}

let earlier: Promise<void> = Promise.resolve()
parentPort?.on('message', (request: PaintRequest) => {
  // One after another: each takes tens of megabytes while it is painted.
  earlier = earlier.then(() => answer(request))
})
