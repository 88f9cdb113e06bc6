// A minimal build of the web app as vite writes it, so that serving can be tested without building the real one.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parentOfFolders } from './folders.ts'

/** Long enough to be compressed. */
export const mainScript = `export const words = '${'waymark '.repeat(200)}'\n`

/** By path below the app's folder. */
export const tinyFiles: Readonly<Record<string, string>> = {
  'app/main-Aa1_-b2C.js': mainScript,
  'app/shared-Dd3.js': 'export const shared = 1\n',
  'app/deep-Ee4.js': 'export const deep = 1\n',
  'app/photo-Ff5.js': 'export const photo = 1\n',
  'app/common-Jj9.js': 'export const catalogue = () => "de"\n',
  'app/common-Kk0.js': 'export const catalogue = () => "en"\n',
  'app/main-Gg6.css': 'body { margin: 0 }\n',
  'app/shared-Hh7.css': 'p { margin: 0 }\n',
  'app/picture-Ii8.png': 'not really a picture',
  'app/.hidden.js': 'hidden',
  'app/source.map': '{}',
  'secret.js': 'not of the app',
}

const manifest = {
  'pages/photo.tsx': { file: 'app/photo-Ff5.js', isDynamicEntry: true, imports: ['main.tsx'] },
  'main.tsx': {
    file: 'app/main-Aa1_-b2C.js',
    isEntry: true,
    imports: ['_shared.js'],
    dynamicImports: ['pages/photo.tsx'],
    css: ['app/main-Gg6.css'],
  },
  '_shared.js': {
    file: 'app/shared-Dd3.js',
    imports: ['_deep.js'],
    dynamicImports: ['strings/de/common.ts', 'strings/en/common.ts'],
    css: ['app/shared-Hh7.css'],
  },
  'strings/de/common.ts': { file: 'app/common-Jj9.js', isDynamicEntry: true },
  'strings/en/common.ts': { file: 'app/common-Kk0.js', isDynamicEntry: true },
  'strings/en/gallery.ts': { file: 'app/gallery-Ll1.js', isDynamicEntry: true },
  // Chunks may import one another.
  '_deep.js': { file: 'app/deep-Ee4.js', imports: ['_shared.js'] },
}

/** @returns its folder. The caller removes it. */
export async function makeTinyApp(): Promise<string> {
  const folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-app-'))
  for (const name of ['app', '.vite']) await mkdir(path.join(folder, name))
  for (const [name, text] of Object.entries(tinyFiles)) await writeFile(path.join(folder, name), text)
  await writeFile(path.join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest))
  return folder
}
