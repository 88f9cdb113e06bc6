// Checks manifests against the schemas of Kubernetes and the Prometheus Operator from the kubernetes-models packages.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { isTree, root } from './files.ts'

const run = promisify(execFile)

/** A class of kubernetes-models. */
type Model = new (manifest: unknown) => { validate(): void }
const isModel = (value: unknown): value is Model => typeof value === 'function' && 'kind' in value

const moduleOf = (version: string): string =>
  `${version.startsWith('monitoring.coreos.com/') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'}/${version}`

/** @returns a sentence for each manifest that the API would refuse for a type, a missing name or a value. */
export async function schemaFaults(manifests: readonly unknown[]): Promise<string[]> {
  const faults = await Promise.all(
    manifests.map(async (manifest) => {
      const { apiVersion, kind } = isTree(manifest) ? manifest : {}
      const known: unknown = await import(moduleOf(String(apiVersion))).catch(() => ({}))
      const model = new Map(Object.entries(Object(known))).get(String(kind))
      if (!isModel(model)) return [`${String(apiVersion)} has no ${String(kind)}`]
      try {
        new model(manifest).validate()
        return []
      } catch (error) {
        return [`${String(kind)}: ${String(error)}`]
      }
    }),
  )
  return faults.flat()
}

/**
 * The API ignores unknown names, so schemas do not refuse them, but the packages' types do.
 * @returns the compiler's errors.
 */
export async function nameFaults(manifests: readonly unknown[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-manifests-'))
  try {
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    const lines = manifests.map((manifest, at) => {
      const { apiVersion, kind } = isTree(manifest) ? manifest : {}
      const type = `I${String(kind)}`
      return `import type { ${type} as Type${at} } from '${moduleOf(String(apiVersion))}'
export const manifest${at}: Type${at} = ${JSON.stringify(manifest, undefined, 1)}\n`
    })
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(path.join(folder, 'manifests.ts'), lines.join('\n'))
    const settings = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
    const said = run(process.execPath, [tsc, ...settings, 'manifests.ts'], { cwd: folder })
    return await said.then(
      () => '',
      (error: Error & { stdout?: string }) => error.stdout ?? error.message,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
