// Whether there is a web app to serve, and what to do where there is none.
import { existsSync } from 'node:fs'
import path from 'node:path'

/** Where vite's build lies, in the folder of package.json. */
export const builtFolderIn = (root: string): string => path.join(root, 'dist', 'web')

/** Whether the next start can build it: `npm ci --omit=dev` leaves vite out, and a package the sources. */
export const canBuild = (root: string): boolean =>
  ['web', 'node_modules/vite/package.json'].every((name) => existsSync(path.join(root, name)))

/** One sentence where there is no build; undefined where there is one. */
export function describeMissingWebApp(root: string): string | undefined {
  const folder = builtFolderIn(root)
  if (existsSync(path.join(folder, '.vite', 'manifest.json'))) return undefined
  const remedy = existsSync(path.join(root, 'web'))
    ? 'run "npm ci && npm run build" (npm ci --omit=dev leaves out what builds it)'
    : 'install Waymark again'
  return `There is no web app in ${folder}, so only the API is served: ${remedy}, or set WEB_APP=off.`
}
