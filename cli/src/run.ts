import { CommanderError, type Command as CommanderCommand } from 'commander';
import type { CliIo } from './cli-io.js';
import { Command, helpConfiguration } from './command.js';
import { NotChecked, WrongUse } from './refusal.js';
import { versionText } from './version.js';

/** Done; refused or failed check; wrong use (docs/contract, "Names that scripts rely on"); check unfinished. */
type ExitCode = 0 | 1 | 2 | 3;

type AddCommands = (group: Command, io: CliIo) => void;
type Group = readonly [description: string, load: () => Promise<{ readonly addCommands: AddCommands }>];

/** Loaded when one of its commands is called. */
const groups: Readonly<Record<string, Group>> = {
  start: [
    'run the service: everything in one process, or one part of it',
    () => import('./commands/start.js'),
  ],
  company: ['the companies and their settings', () => import('./commands/company.js')],
  user: ['the API users of a company', () => import('./commands/user.js')],
  token: ['the tokens of API users', () => import('./commands/token.js')],
  operator: ['people on the operations page', () => import('./commands/operator.js')],
  import: ['lists of employees or managers from files', () => import('./commands/import.js')],
  imports: ['the imports of employees and managers', () => import('./commands/imports.js')],
  invitations: ['the invitations of new employees', () => import('./commands/invitations.js')],
  webhook: ['messages by HTTP about what happens in a company', () => import('./commands/webhook.js')],
  projections: [
    'the read models: how far they are, and building them anew',
    () => import('./commands/projections.js'),
  ],
  audit: ['what happened, and whether the data is whole', () => import('./commands/audit.js')],
  backup: ['copy the log and the keys, beside running processes', () => import('./commands/backup.js')],
  restore: ['put a copy into an empty data folder, and verify it', () => import('./commands/restore.js')],
  move: ['move the event log between the data folder and EventStoreDB', () => import('./commands/move.js')],
  status: [
    'on one screen: the processes, the lag, the queue, and what needs a person',
    () => import('./commands/status.js'),
  ],
  doctor: [
    'look at the configuration, the servers, the keys and the work, and say what to do',
    () => import('./commands/doctor.js'),
  ],
  completion: [
    'print what has a shell complete these commands',
    async () => {
      const { addCompletion } = await import('./commands/completion.js');
      return { addCommands: (group, io) => addCompletion(group, io, () => createProgram(io, () => true)) };
    },
  ],
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
  for (const [name, [description, load]] of Object.entries(groups)) {
    const group = program.command(name).description(description);
    if (isWanted(name)) (await load()).addCommands(group, io);
  }
  return program;
}

async function exitCodeOf(error: unknown, io: CliIo): Promise<ExitCode> {
  // Commander has printed the error; requested help is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const text = error instanceof Error ? error.message : String(error);
  io.err(`${text}\n`);
  if (/^(?:EventStoreDB (?!refuses)|MongoDB |NATS )/.test(text))
    io.err('See rollcall doctor. If it was to change something, see whether it did before a repeat.\n');
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
