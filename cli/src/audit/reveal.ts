import { LogRefused, recordReveal } from '@rollcall/application';
import { WrongUse } from '../refusal.js';
import type { LogSession } from '../log-session.js';

export interface RevealOptions {
  readonly reveal?: boolean;
  readonly reason?: string;
}

export function checkReveal({ reveal = false, reason }: RevealOptions): void {
  if (reveal && reason === undefined) throw new WrongUse('--reveal needs --reason: why the values are read.');
  if (!reveal && reason !== undefined) throw new WrongUse('--reason goes with --reveal.');
}

export interface Revealed {
  readonly companyId: number;
  readonly what: string;
  /** At most. */
  readonly rows: number;
}

/**
 * Whether personal values are shown. Who reads them is recorded before; where the log cannot be written, as on a copy, it says that nothing
 * was. `EventLogUnavailable` in an outage.
 */
export async function reveals(
  session: LogSession,
  { reveal = false, reason }: RevealOptions,
  { companyId, ...read }: Revealed,
): Promise<boolean> {
  if (!reveal) return false;
  try {
    await recordReveal(session, session.context(companyId, reason), read);
  } catch (error) {
    if (!(error instanceof LogRefused)) throw error;
    session.io.err(`Nothing was recorded of this read: ${error.message}\n`);
  }
  return true;
}
