import { ConfigInvalid } from '@rollcall/adapters';
import { Command, CommanderError } from 'commander';
import type { CliIo } from './cli-io.js';
import { addAuditCommands } from './commands/audit.js';
import { addCompanyCommands } from './commands/company.js';
import { addImportCommands } from './commands/imports.js';
import { addInvitationCommands } from './commands/invitations.js';
import { addProjectionCommands } from './commands/projections.js';
import { addTokenCommands } from './commands/token.js';
import { addUserCommands } from './commands/user.js';

/** Carried out; refused, or a check failed; used wrongly (docs/contract, "Names that scripts rely on"). */
export type ExitCode = 0 | 1 | 2;

function createProgram(io: CliIo): Command {
  const program = new Command('rollcall')
    .description(
      'Administration and audit of a Rollcall installation. DATA_DIR says which one (default ./data).',
    )
    .exitOverride()
    .configureOutput({ writeOut: (text) => void io.out(text), writeErr: (text) => io.err(text) });
  addCompanyCommands(program, io);
  addUserCommands(program, io);
  addTokenCommands(program, io);
  addImportCommands(program, io);
  addInvitationCommands(program, io);
  addProjectionCommands(program, io);
  addAuditCommands(program, io);
  return program;
}

function exitCodeOf(error: unknown, io: CliIo): ExitCode {
  // Commander has said what is wrong; help that was asked for is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  io.err(`${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof ConfigInvalid ? 2 : 1;
}

/** Runs one command line, without the names of program and script. Says everything through `io`. */
export async function run(args: readonly string[], io: CliIo): Promise<ExitCode> {
  try {
    await createProgram(io).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}
