// No package may run code when it is installed, unless package.json allows it by name in npm's own `allowScripts`.
import { nameAt, packagesOf, type Installed, type Lockfile, type Manifest } from './project.ts'

const atInstall = ['preinstall', 'install', 'postinstall']

/** Every package that would run a script and is not allowed to, and every one allowed that has none. */
export function installScriptViolations(
  manifest: Manifest,
  lockfile: Lockfile,
  installed: readonly Installed[],
): string[] {
  const stated = packagesOf(lockfile)
    .filter(({ entry }) => entry.hasInstallScript)
    .map(({ name }) => name)
  // A lockfile can be edited; the package itself says what npm would run.
  const real = installed
    .filter(({ scripts, hasNativeBuild }) => hasNativeBuild || atInstall.some((script) => script in scripts))
    .map(({ place }) => nameAt(place))
  const running = new Set([...stated, ...real])
  const allowed = Object.keys(manifest.allowScripts ?? {})
  return [
    ...[...running]
      .filter((name) => manifest.allowScripts?.[name] !== true)
      .map((name) => `${name} runs a script when it is installed`),
    ...allowed
      .filter((name) => !running.has(name))
      .map((name) => `${name} may run a script when it is installed and has none`),
  ]
}

/** Lines that .npmrc must have, each with what it holds. */
const npmSettings: Readonly<Record<string, string>> = {
  'ignore-scripts=true': 'a package that comes to have an install script does not run it',
  'omit-lockfile-registry-resolved=true': 'the lockfile names no addresses',
}

/** Settings that take packages from elsewhere, or send a password; neither belongs in a repository. */
const foreign = /registry\s*=|proxy\s*=|_auth|_password|cafile|strict-ssl|replace-registry-host/i

export function npmSettingViolations(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return [
    ...Object.entries(npmSettings)
      .filter(([line]) => !lines.includes(line))
      .map(([line, holds]) => `.npmrc lacks ${line}, so it no longer holds that ${holds}`),
    ...lines.filter((line) => foreign.test(line)).map((line) => `.npmrc has ${line}`),
  ]
}
