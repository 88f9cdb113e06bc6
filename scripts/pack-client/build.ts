// Builds @waymark/client and @waymark/placing: JavaScript, and self-contained declarations.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'vite'
import { publishedTypes } from './types-file.ts'

const root = path.resolve(import.meta.dirname, '../..')
const clientFolder = path.join(root, 'client')
const sharedFolder = path.join(root, 'src/shared')
const placingEntry = path.join(sharedFolder, 'placing/place-on-track.ts')
const run = promisify(execFile)

async function compile(folder: string, config: object): Promise<void> {
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const { failed, stdout } = await run(process.execPath, [tsc, '-p', folder]).then(
    () => ({ failed: false, stdout: '' }),
    (error: Error & { stdout?: string }) => ({ failed: true, stdout: error.stdout ?? error.message }),
  )
  if (failed) throw new Error(`The client does not compile:\n${stdout.slice(0, 4_000)}`)
}

/** Compilers before 5.7, and some bundlers, do not find `./paging.ts` in a declaration. */
const withoutTs = (text: string): string => text.replaceAll(/(['"]\.\.?\/[^'"]+)\.ts(['"])/g, '$1.js$2')

/** Compiles client/ with every document's type declared, so that declarations refer to documents by name. */
async function buildClient(work: string, target: string): Promise<void> {
  const sources = path.join(work, 'client')
  await mkdir(sources)
  for (const name of await readdir(clientFolder))
    if (name.endsWith('.ts') || name === 'package.json')
      await cp(path.join(clientFolder, name), path.join(sources, name))
  await writeFile(path.join(sources, 'types.ts'), await publishedTypes(path.join(clientFolder, 'types.ts')))
  const rest = {
    rootDir: '.',
    outDir: target,
    typeRoots: [path.join(root, 'node_modules/@types')],
  }
  // Editors read comments from the declarations; the code does not need them.
  for (const compilerOptions of [
    { ...rest, emitDeclarationOnly: true },
    { ...rest, declaration: false, removeComments: true },
  ])
    await compile(sources, {
      extends: path.join(clientFolder, 'tsconfig.json'),
      compilerOptions,
      include: ['*.ts'],
    })
  for (const name of await readdir(target)) {
    const file = path.join(target, name)
    if (name.endsWith('.d.ts')) await writeFile(file, withoutTs(await readFile(file, 'utf8')))
  }
  await rm(path.join(target, 'types.js')) // it is empty, and nothing imports it
}

/** Copies the declarations that an entry needs, with their paths below `from`. */
async function copyDeclarations(entry: string, from: string, target: string): Promise<void> {
  const seen = new Set<string>()
  const copy = async (file: string): Promise<void> => {
    if (seen.has(file)) return
    seen.add(file)
    const text = await readFile(file, 'utf8')
    const place = path.join(target, path.relative(from, file))
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(place, withoutTs(text))
    for (const [, name = ''] of text.matchAll(/['"](\.\.?\/[^'"]+)\.ts['"]/g))
      await copy(path.join(path.dirname(file), `${name}.d.ts`))
  }
  await copy(entry)
}

/** Photo placing as a single file that imports only its declared dependencies. */
async function buildPlacing(work: string, target: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      target: 'es2022',
      minify: false,
      outDir: target,
      emptyOutDir: false,
      lib: { entry: placingEntry, formats: ['es'], fileName: 'placing' },
      rolldownOptions: { external: /^[^./]/, output: { chunkFileNames: '[name].js' } },
    },
  })
  const declarations = path.join(work, 'declarations')
  await mkdir(declarations)
  await compile(declarations, {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: sharedFolder,
      outDir: '.',
      typeRoots: [path.join(root, 'node_modules/@types')],
    },
    include: [],
    files: [placingEntry],
  })
  const entry = path.join(declarations, 'placing/place-on-track.d.ts')
  await copyDeclarations(entry, declarations, target)
}

/** Published packages, by the folder of their package.json and README.md. */
const packages = { client: buildClient, 'client/placing': buildPlacing } as const
export type PackageFolder = keyof typeof packages
export const packageFolders = Object.keys(packages) as readonly PackageFolder[]

/** Fills `folder` with the contents of the package. */
export async function buildPackage(source: PackageFolder, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(path.join(os.tmpdir(), 'waymark-client-'))
  try {
    await packages[source](work, path.join(folder, 'dist'))
  } finally {
    await rm(work, { recursive: true })
  }
  for (const name of ['package.json', 'README.md'])
    await cp(path.join(root, source, name), path.join(folder, name))
  await cp(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
}
