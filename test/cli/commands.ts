import { systemClock } from '@rollcall/application';
import { createProgram, type CliIo } from '@rollcall/cli';

type Command = Awaited<ReturnType<typeof createProgram>>['commands'][number];

const deaf: CliIo = {
  env: {},
  clock: systemClock,
  newId: () => '',
  out: () => Promise.resolve(),
  err: () => undefined,
  screen: undefined,
  sleep: () => Promise.resolve(),
  start: () => undefined,
};

export interface DefinedCommand {
  /** Without `rollcall`: `company show`. */
  readonly name: string;
  readonly command: Command;
}

function leaves(command: Command, path: readonly string[]): DefinedCommand[] {
  if (command.commands.length === 0) return [{ name: path.join(' '), command }];
  return command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
}

/** Every command that does something, as it is defined; without what only shells call. */
export async function definedCommands(): Promise<DefinedCommand[]> {
  const program = await createProgram(deaf, () => true);
  return leaves(program, []).filter(({ name }) => name !== 'complete');
}
