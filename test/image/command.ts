import { Program, type ProgramOptions } from '../support/program.js';

export interface CommandOptions extends ProgramOptions {
  readonly withinMs?: number;
}

/** Runs a command to its end; its stdout. Rejects with all that it wrote where it ends with another code than 0, or is late. */
export async function command(words: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { withinMs = 120_000, ...rest } = options;
  const [name = '', ...args] = words;
  const program = new Program(args, { quiet: true, ...rest, command: name });
  const begun = performance.now();
  const limit = setTimeout(() => void program.kill(), withinMs);
  const { code, signal, out, err } = await program.ended.finally(() => clearTimeout(limit));
  if (code === 0) return out;
  const why =
    performance.now() - begun >= withinMs
      ? `did not end within ${withinMs} ms`
      : `ended with ${code ?? signal}`;
  throw new Error(`${words.join(' ')} ${why}:\n${`${out}\n${err}`.trim().split('\n').slice(-60).join('\n')}`);
}
