// The command line `waymark`: registers the commands (one file each in commands/), runs one, and reports the result.
import { Command, CommanderError } from 'commander'
import packageFile from '../package.json' with { type: 'json' }
import { failureOf, wrongUsage } from './failures.ts'
import { useInstallation, useSettingsFile } from './settings-file.ts'
import { answerWith, createOutput, type Output } from './output.ts'

const example = `
Example, from nothing to a key that reads photos:
  waymark trails add --id 4711 --name "Rim Trail"
  waymark accounts create --email ann@trails.example --name Ann --id 42
  waymark keys create --account 42 --name "Web site" --expires 90d
  waymark serve

Commands work on the local installation, whether or not its server is running; "waymark doctor --all"
prints its settings. login, upload, routes and review use a server over HTTP, as the signed-in user, and
verify works with any server that implements the API. Run "waymark <command> --help" for help on a command.
Exit codes: 0 success, 1 invalid usage or setting, 2 refused or problems found, 3 missing or invalid
credential.`

/** The commands that can be run, at any depth: the help lists these and not their groups. */
function leaves(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leaves(child) : [child]))
}

function termOf(command: Command): string {
  const words = [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)]
  const group = command.parent
  return group?.parent ? `${group.name()} ${words.join(' ')}` : words.join(' ')
}

function createProgram(): Command {
  return new Command('waymark')
    .description('Waymark, a self-hosted service for trail photos.')
    .version(packageFile.version, '--version', 'print the version')
    .option('--json', 'print one JSON document to stdout')
    .option('--env-file <file>', 'settings file; by default /etc/waymark/waymark.env in an installation')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', example)
    .configureHelp({ visibleCommands: leaves, subcommandTerm: termOf, showGlobalOptions: true })
    .configureOutput({ writeOut: answerWith, writeErr: () => undefined, outputError: () => undefined })
    .exitOverride()
}

type Add = (parent: Command, output: Output) => void

/** In the order of the help. Loaded one at a time, since a command needs only a fraction of all modules. */
const commands: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import('./commands/serve.ts')).addServe,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
  check: async () => (await import('./commands/check.ts')).addCheck,
  backup: async () => (await import('./commands/backup.ts')).addBackup,
  restore: async () => (await import('./commands/restore.ts')).addRestore,
  drill: async () => (await import('./commands/drill.ts')).addDrill,
  'secret forget': async () => (await import('./commands/secret/secret-forget.ts')).addSecretForget,
  export: async () => (await import('./commands/export.ts')).addExport,
  move: async () => (await import('./commands/move.ts')).addMove,
  'read-only': async () => (await import('./commands/read-only.ts')).addReadOnly,
  pull: async () => (await import('./commands/pull.ts')).addPull,
  'trails add': async () => (await import('./commands/trails/trails-add.ts')).addTrailsAdd,
  'trails import': async () => (await import('./commands/trails/trails-import.ts')).addTrailsImport,
  'trails export': async () => (await import('./commands/trails/trails-export.ts')).addTrailsExport,
  'accounts create': async () => (await import('./commands/accounts/accounts-create.ts')).addAccountsCreate,
  'accounts list': async () => (await import('./commands/accounts/accounts-list.ts')).addAccountsList,
  'accounts change': async () => (await import('./commands/accounts/accounts-change.ts')).addAccountsChange,
  'accounts invite': async () => (await import('./commands/accounts/accounts-invite.ts')).addAccountsInvite,
  'accounts set-up-link': async () =>
    (await import('./commands/accounts/accounts-set-up-link.ts')).addAccountsSetUpLink,
  'accounts reset-link': async () =>
    (await import('./commands/accounts/accounts-reset-link.ts')).addAccountsResetLink,
  'accounts takeout': async () =>
    (await import('./commands/accounts/accounts-data-export.ts')).addAccountsTakeout,
  'accounts delete': async () => (await import('./commands/accounts/accounts-delete.ts')).addAccountsDelete,
  'accounts link': async () => (await import('./commands/accounts/accounts-link.ts')).addAccountsLink,
  'accounts unlink': async () => (await import('./commands/accounts/accounts-unlink.ts')).addAccountsUnlink,
  'keys create': async () => (await import('./commands/keys/keys-create.ts')).addKeysCreate,
  'keys list': async () => (await import('./commands/keys/keys-list.ts')).addKeysList,
  'keys revoke': async () => (await import('./commands/keys/keys-revoke.ts')).addKeysRevoke,
  'clients approve': async () => (await import('./commands/clients/clients-approve.ts')).addClientsApprove,
  'clients create': async () => (await import('./commands/clients/clients-create.ts')).addClientsCreate,
  'clients list': async () => (await import('./commands/clients/clients-list.ts')).addClientsList,
  'clients remove': async () => (await import('./commands/clients/clients-remove.ts')).addClientsRemove,
  'map extract': async () => (await import('./commands/map/map-extract.ts')).addMapExtract,
  audit: async () => (await import('./commands/audit.ts')).addAudit,
  login: async () => (await import('./commands/login.ts')).addLogin,
  logout: async () => (await import('./commands/login.ts')).addLogout,
  upload: async () => (await import('./commands/upload.ts')).addUpload,
  'routes import': async () => (await import('./commands/routes/routes-import.ts')).addRoutesImport,
  'routes export': async () => (await import('./commands/routes/routes-export.ts')).addRoutesExport,
  review: async () => (await import('./commands/review.ts')).addReview,
  verify: async () => (await import('./commands/verify.ts')).addVerify,
}

const groups: Readonly<Record<string, string>> = {
  trails: 'Trails.',
  accounts: 'Accounts.',
  keys: 'API keys for reading published data.',
  clients: 'OAuth clients that act for accounts.',
  secret: 'The secret at SECRET_FILE.',
  map: 'The base map.',
  routes: 'Your routes on the server you are signed in to.',
}

/** These talk to a server over HTTP as the signed-in user. All others work on the local installation. */
const remote: ReadonlySet<string> = new Set(['login', 'logout', 'upload', 'routes', 'review', 'verify'])

/** The commands to load: the one in the arguments, or all of them if there is none and help is printed. */
function namesIn(args: readonly string[]): string[] {
  const isWord = (argument: string, at: number): boolean =>
    !argument.startsWith('-') && args[at - 1] !== '--env-file'
  const [first = '', second = ''] = args.filter(isWord)
  const named = [first, `${first} ${second}`].find((name) => Object.hasOwn(commands, name))
  return named === undefined ? Object.keys(commands) : [named]
}

async function addCommands(program: Command, output: Output, args: readonly string[]): Promise<void> {
  const parents = new Map<string, Command>()
  const parentOf = (name: string): Command => {
    const group = name.split(' ')[0] ?? ''
    const description = name.includes(' ') ? groups[group] : undefined
    if (description === undefined) return program
    const known = parents.get(group) ?? program.command(group).description(description)
    parents.set(group, known)
    return known
  }
  for (const name of namesIn(args)) {
    const add = await commands[name]?.()
    add?.(parentOf(name), output)
  }
}

/** commander prints help if the command is missing; an error is clearer. */
function missingCommand(program: Command): Error {
  const group = program.commands.find((command) => command.name() === program.args[0])
  if (!group) return wrongUsage('No command given. Run "waymark --help" for a list.')
  const names = group.commands.map((command) => `"waymark ${group.name()} ${command.name()}"`)
  return wrongUsage(`Incomplete command. Use ${names.join(' or ')}.`)
}

/** Runs one command. The result goes to process.exitCode, so that pending output is still flushed. */
export async function main(args: readonly string[]): Promise<void> {
  const program = createProgram()
  const options = () => program.opts<{ json?: boolean; envFile?: string }>()
  const output = createOutput({ isJson: () => options().json === true, envFile: () => options().envFile })
  await addCommands(program, output, args)
  program.hook('preAction', (_, action) => {
    const { envFile } = options()
    const group = action.parent === program ? action : (action.parent ?? action)
    if (!remote.has(group.name())) useInstallation(envFile)
    else if (envFile !== undefined) useSettingsFile(envFile)
  })
  if (args.length === 0) {
    program.outputHelp()
    return
  }
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return // help or version was printed
    const isMissing = error instanceof CommanderError && error.code === 'commander.help'
    output.failure(failureOf(isMissing ? missingCommand(program) : error))
  }
}
