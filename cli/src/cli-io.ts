import { hostname, userInfo } from 'node:os';
import type { Clock } from '@rollcall/application';

export interface CliIo {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  newId(): string;
  out(text: string): Promise<void>;
  readonly isOutClosed?: () => boolean;
  err(text: string): void;
  /** A terminal for a progress bar, if there is one. */
  readonly screen: NodeJS.WriteStream | undefined;
  readonly colours?: boolean;
  sleep(ms: number): Promise<void>;
  /** Asks a person; undefined where none is there. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Runs a part of the service in this process once the command has ended. */
  start(part: string): void;
}

export function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

export const cliUsername = (): string => `cli:${osUser()}@${hostname()}`;
