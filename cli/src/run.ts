import { CommanderError, type Command as CommanderCommand } from 'commander';
import type { CliIo } from './cli-io.js';
import { Command, helpConfiguration } from './command.js';
import { NotChecked, WrongUse } from './refusal.js';
import { versionText } from './version.js';

/** Done; refused or failed check; wrong use (docs/contract, "Names that scripts rely on"); check unfinished. */
type ExitCode = 0 | 1 | 2 | 3;

interface Group {
  readonly description: string;
  readonly load: () => Promise<(group: Command, io: CliIo) => void>;
}

/** Loaded when one of its commands is called. */
const groups: Readonly<Record<string, Group>> = {
  start: {
    description: 'run the service: everything in one process, or one part of it',
    load: async () => (await import('./commands/start.js')).addStartCommand,
  },
  company: {
    description: 'the companies and their settings',
    load: async () => (await import('./commands/company.js')).addCompanyCommands,
  },
  user: {
    description: 'the API users of a company',
    load: async () => (await import('./commands/user.js')).addUserCommands,
  },
  token: {
    description: 'the tokens of API users',
    load: async () => (await import('./commands/token.js')).addTokenCommands,
  },
  operator: {
    description: 'people on the operations page',
    load: async () => (await import('./commands/operator.js')).addOperatorCommands,
  },
  import: {
    description: 'lists of employees or managers from files',
    load: async () => (await import('./commands/import.js')).addImportFileCommands,
  },
  imports: {
    description: 'the imports of employees and managers',
    load: async () => (await import('./commands/imports.js')).addImportCommands,
  },
  invitations: {
    description: 'the invitations of new employees',
    load: async () => (await import('./commands/invitations.js')).addInvitationCommands,
  },
  webhook: {
    description: 'messages by HTTP about what happens in a company',
    load: async () => (await import('./commands/webhook.js')).addWebhookCommands,
  },
  projections: {
    description: 'the read models: how far they are, and building them anew',
    load: async () => (await import('./commands/projections.js')).addProjectionCommands,
  },
  audit: {
    description: 'what happened, and whether the data is whole',
    load: async () => (await import('./commands/audit.js')).addAuditCommands,
  },
  backup: {
    description: 'copy the log and the keys, beside running processes',
    load: async () => (await import('./commands/backup.js')).addBackupCommand,
  },
  restore: {
    description: 'put a copy into an empty data folder, and verify it',
    load: async () => (await import('./commands/restore.js')).addRestoreCommand,
  },
  move: {
    description: 'move the event log between the data folder and EventStoreDB',
    load: async () => (await import('./commands/move.js')).addMoveCommand,
  },
  status: {
    description: 'on one screen: the processes, the lag, the queue, and what needs a person',
    load: async () => (await import('./commands/status.js')).addStatusCommand,
  },
  doctor: {
    description: 'look at the configuration, the servers, the keys and the work, and say what to do',
    load: async () => (await import('./commands/doctor.js')).addDoctorCommand,
  },
  completion: {
    description: 'print what has a shell complete these commands',
    load: async () => {
      const { addCompletion } = await import('./commands/completion.js');
      return (completion, io) => addCompletion(completion, io, () => createProgram(io, () => true));
    },
  },
};

const exitCodes = [
  'Exit codes: 0 carried out; 1 refused, or a check failed; 2 used wrongly; 3 not checked to the end (audit verify).',
  'With --json every command but start and completion prints one object.',
].join('\n');

export async function createProgram(io: CliIo, isWanted: (group: string) => boolean): Promise<Command> {
  const program = new Command('rollcall')
    .description(
      'Administration and audit of a Rollcall installation. DATA_DIR says which one (default ./data).',
    )
    .version(versionText())
    .configureHelp(helpConfiguration)
    .examples(
      'rollcall company list',
      'rollcall token issue --user 2 --expires 365d',
      'rollcall help imports',
    )
    .addHelpText('after', `\n${exitCodes}`)
    .exitOverride()
    .configureOutput({ writeOut: (text) => void io.out(text), writeErr: (text) => io.err(text) });
  for (const [name, { description, load }] of Object.entries(groups)) {
    const group = program.command(name).description(description);
    if (isWanted(name)) (await load())(group, io);
  }
  return program;
}

async function exitCodeOf(error: unknown, io: CliIo): Promise<ExitCode> {
  // Commander has printed the error; requested help is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  io.err(`${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof NotChecked) return 3;
  if (error instanceof WrongUse) return 2;
  const { ConfigInvalid } = await import('@rollcall/adapters');
  return error instanceof ConfigInvalid ? 2 : 1;
}

/** Commander's help takes any name. */
function requireTopic({ commands }: CommanderCommand, [name, ...more]: readonly string[]): void {
  if (!name || name.startsWith('-') || commands.length === 0) return;
  const command = commands.find((each) => each.name() === name);
  if (command === undefined) throw new WrongUse(`error: unknown command '${name}'`);
  requireTopic(command, more);
}

/** Runs one command line, without program and script names; all output goes through `io`. */
export async function run(args: readonly string[], io: CliIo): Promise<ExitCode> {
  try {
    // Commander's own `help` shows no command of a group.
    const asked = args[0] === 'help' ? [...args.slice(1), '--help'] : [...args];
    const program = await createProgram(io, (group) => asked.includes(group));
    if (args[0] === 'help') requireTopic(program, args.slice(1));
    await program.parseAsync(asked, { from: 'user' });
    return 0;
  } catch (error) {
    return await exitCodeOf(error, io);
  }
}
