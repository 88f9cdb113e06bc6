// Builds what a Dockerfile describes in a folder of its own, without a container engine: its COPY and RUN lines, stage by stage.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { isSent, type Instruction, type Stage } from '../helpers/dockerfile.ts'

const run = promisify(execFile)

export interface Image {
  /** What is `/` in the image. */
  readonly root: string
  readonly workdir: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  /** ENTRYPOINT and CMD. */
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
  readonly volumes: readonly string[]
}

export interface BuildOptions {
  readonly stages: readonly Stage[]
  /** The checkout. */
  readonly context: string
  readonly ignoreFile: string
  /** A new folder; each stage is a folder in it. */
  readonly folder: string
  /** What is done in the place of a RUN line, by its text; gets the folder that the line would run in. */
  readonly instead?: Readonly<Record<string, (folder: string) => Promise<void>>>
}

const inRoot = (root: string, workdir: string, place: string): string =>
  path.join(root, path.resolve(workdir, place))

/** Waits for the stage of that name. */
type StageDone = (name: string) => Promise<unknown>

interface Place {
  readonly root: string
  readonly workdir: string
}

async function copy(
  instruction: Instruction,
  { root, workdir }: Place,
  options: BuildOptions,
  done: StageDone,
) {
  const from = instruction.flags.get('from')
  if (from !== undefined) await done(from)
  const sources = instruction.words.slice(0, -1)
  const to = instruction.words.at(-1) ?? ''
  const isFolder = to.endsWith('/')
  assert.ok(sources.length === 1 || isFolder, `COPY of several needs a folder: ${instruction.text}`)
  for (const source of sources) {
    const origin =
      from === undefined ? path.join(options.context, source) : path.join(options.folder, from, source)
    const isDirectory = (await stat(origin)).isDirectory()
    const target = inRoot(root, workdir, isFolder && !isDirectory ? to + path.basename(source) : to)
    await mkdir(path.dirname(target), { recursive: true })
    const goes = (file: string): boolean =>
      from !== undefined ||
      file === origin ||
      isSent(options.ignoreFile, path.relative(options.context, file))
    assert.ok(
      from !== undefined || isDirectory || isSent(options.ignoreFile, source),
      `.dockerignore keeps ${source} back`,
    )
    // Links stay links, as in an image.
    await cp(origin, target, { recursive: true, verbatimSymlinks: true, filter: goes })
    const mode = instruction.flags.get('chmod')
    if (mode !== undefined) await chmod(target, Number.parseInt(mode, 8))
    const [uid, gid] = (instruction.flags.get('chown') ?? '').split(':').map(Number)
    if (uid && gid && process.getuid?.() === 0) await chown(target, uid, gid)
  }
}

async function runLine(line: string, folder: string, { instead }: BuildOptions): Promise<void> {
  const other = instead?.[line]
  if (other) return other(folder)
  // It would be a path of this machine.
  assert.doesNotMatch(line, /(?:^|\s)\//, 'RUN names no absolute path')
  await run('/bin/sh', ['-c', line], { cwd: folder, maxBuffer: 16 * 1024 ** 2 })
}

async function buildStage(
  stage: Stage,
  root: string,
  options: BuildOptions,
  done: StageDone,
): Promise<Image> {
  let workdir = '/'
  const environment: Record<string, string> = {}
  const named = new Map<string, readonly string[]>()
  for (const instruction of stage.instructions) {
    const { name, text, words } = instruction
    if (name === 'WORKDIR') {
      workdir = path.posix.resolve(workdir, text)
      await mkdir(path.join(root, workdir), { recursive: true })
    } else if (name === 'COPY') await copy(instruction, { root, workdir }, options, done)
    else if (name === 'RUN') await runLine(text, path.join(root, workdir), options)
    else if (name === 'ENV') environment[text.split('=')[0] ?? ''] = text.slice(text.indexOf('=') + 1)
    else named.set(name, words)
  }
  return {
    root,
    workdir,
    environment,
    user: named.get('USER')?.[0] ?? '0:0',
    command: [...(named.get('ENTRYPOINT') ?? []), ...(named.get('CMD') ?? [])],
    healthCheck: named.get('HEALTHCHECK') ?? [],
    volumes: named.get('VOLUME') ?? [],
  }
}

/** Stages that do not need each other are built at once, as an engine does. @returns the last stage. */
export async function buildImage(options: BuildOptions): Promise<Image> {
  const built = new Map<string, Promise<Image>>()
  const done: StageDone = (name) =>
    built.get(name) ?? Promise.reject(new Error(`No stage before is called ${name}.`))
  for (const [at, stage] of options.stages.entries()) {
    const name = stage.name ?? String(at)
    built.set(name, buildStage(stage, path.join(options.folder, name), options, done))
  }
  const images = await Promise.all(built.values())
  const last = images.at(-1)
  assert.ok(last, 'a stage was built')
  return last
}
