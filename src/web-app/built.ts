// Whether there is a web app to serve, and what to do if not.
import { existsSync } from 'node:fs'
import path from 'node:path'

/** The output folder of vite, next to package.json. */
export const builtFolderIn = (root: string): string => path.join(root, 'dist', 'web')

/**
 * Whether the next start can build it: `npm ci --omit=dev` does not install vite, and a package lacks the sources.
 */
export const canBuild = (root: string): boolean =>
  ['web', 'node_modules/vite/package.json'].every((name) => existsSync(path.join(root, name)))

/** One sentence if there is no build; undefined if there is one. */
export function describeMissingWebApp(root: string): string | undefined {
  const folder = builtFolderIn(root)
  if (existsSync(path.join(folder, '.vite', 'manifest.json'))) return undefined
  const remedy = existsSync(path.join(root, 'web'))
    ? 'run "npm ci && npm run build" (npm ci --omit=dev leaves out what builds it)'
    : 'install Waymark again'
  return `There is no web app in ${folder}, so only the API is served: ${remedy}, or set WEB_APP=off.`
}
