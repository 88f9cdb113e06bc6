// The command line `waymark`: names its commands (one file each in commands/), runs one, and says how it went.
import { Command, CommanderError } from 'commander'
import packageFile from '../package.json' with { type: 'json' }
import { addAccountsChange } from './commands/accounts-change.ts'
import { addAccountsCreate } from './commands/accounts-create.ts'
import { addAccountsInvite } from './commands/accounts-invite.ts'
import { addAccountsLink } from './commands/accounts-link.ts'
import { addAccountsList } from './commands/accounts-list.ts'
import { addAccountsResetLink } from './commands/accounts-reset-link.ts'
import { addAccountsUnlink } from './commands/accounts-unlink.ts'
import { addAudit } from './commands/audit.ts'
import { addBackup } from './commands/backup.ts'
import { addCheck } from './commands/check.ts'
import { addClientsCreate } from './commands/clients-create.ts'
import { addClientsList } from './commands/clients-list.ts'
import { addClientsRemove } from './commands/clients-remove.ts'
import { addDoctor } from './commands/doctor.ts'
import { addKeysCreate } from './commands/keys-create.ts'
import { addKeysList } from './commands/keys-list.ts'
import { addKeysRevoke } from './commands/keys-revoke.ts'
import { addMigrate } from './commands/migrate.ts'
import { addReadOnly } from './commands/read-only.ts'
import { addRestore } from './commands/restore.ts'
import { addServe } from './commands/serve.ts'
import { addTrailsAdd } from './commands/trails-add.ts'
import { addTrailsImport } from './commands/trails-import.ts'
import { failureOf, wrongUsage } from './failures.ts'
import { createOutput, type Output } from './output.ts'

const example = `
Example, from nothing to a key that reads photos:
  npx waymark trails add --id 4711 --name "Rim Trail"
  npx waymark accounts create --email ann@trails.example --name Ann --id 42
  npx waymark keys create --account 42 --name "Web site" --expires 90d
  npx waymark serve

Every command works on the installation that the settings name, whether a server runs on it or not;
"waymark doctor" prints the settings. "waymark <command> --help" tells more of a command.
Exit codes: 0 done, 1 wrong usage or setting, 2 refused or problems found, 3 no or wrong credential.`

/** The commands that do something, wherever they hang: the help lists these and not their groups. */
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
    .option('--json', 'answer with one JSON document on stdout')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', example)
    .configureHelp({ visibleCommands: leaves, subcommandTerm: termOf, showGlobalOptions: true })
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .exitOverride()
}

function addCommands(program: Command, output: Output): void {
  addServe(program)
  addDoctor(program, output)
  addMigrate(program, output)
  addCheck(program, output)
  addBackup(program, output)
  addRestore(program, output)
  addReadOnly(program, output)

  const trails = program.command('trails').description('Trails.')
  addTrailsAdd(trails, output)
  addTrailsImport(trails, output)

  const accounts = program.command('accounts').description('Accounts.')
  addAccountsCreate(accounts, output)
  addAccountsList(accounts, output)
  addAccountsChange(accounts, output)
  addAccountsInvite(accounts, output)
  addAccountsResetLink(accounts, output)
  addAccountsLink(accounts, output)
  addAccountsUnlink(accounts, output)

  const keys = program.command('keys').description('API keys, which read listed photos.')
  addKeysCreate(keys, output)
  addKeysList(keys, output)
  addKeysRevoke(keys, output)

  const clients = program.command('clients').description('OAuth clients, which act for accounts.')
  addClientsCreate(clients, output)
  addClientsList(clients, output)
  addClientsRemove(clients, output)

  addAudit(program, output)
}

/** commander prints help where a command is missing; we say so. */
function missingCommand(program: Command): Error {
  const group = program.commands.find((command) => command.name() === program.args[0])
  if (!group) return wrongUsage('Name a command: "waymark --help" lists them.')
  const names = group.commands.map((command) => `"waymark ${group.name()} ${command.name()}"`)
  return wrongUsage(`Name a whole command: ${names.join(' or ')}.`)
}

/** Runs one command; the outcome is in process.exitCode, so that what was written can still flow out. */
export async function main(args: readonly string[]): Promise<void> {
  const program = createProgram()
  const output = createOutput(() => program.opts<{ json?: boolean }>().json === true)
  addCommands(program, output)
  if (args.length === 0) {
    program.outputHelp()
    return
  }
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return // help or version, printed
    const isMissing = error instanceof CommanderError && error.code === 'commander.help'
    output.failure(failureOf(isMissing ? missingCommand(program) : error))
  }
}
