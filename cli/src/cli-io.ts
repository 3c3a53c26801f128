import { hostname, userInfo } from 'node:os';
import type { Clock } from '@rollcall/application';

/** All that the command line touches of the process that runs it. */
export interface CliIo {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  newId(): string;
  /** Resolves when more can be taken. */
  out(text: string): Promise<void>;
  err(text: string): void;
  /** A terminal on which a progress bar can be drawn; undefined where nobody looks. */
  readonly screen: NodeJS.WriteStream | undefined;
  /** Whether what is printed goes to a terminal that shows colours. */
  readonly colours?: boolean;
  sleep(ms: number): Promise<void>;
}

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Who stands in the log for what the command line did. */
export const cliUsername = (): string => `cli:${osUser()}@${hostname()}`;
