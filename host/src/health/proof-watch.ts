import {
  everyByTimer,
  type Every,
  type EventReader,
  type LogProof,
  readProof,
  recordedAtOf,
  sharing,
  type StateSnapshots,
} from '@rollcall/application/read';
import { degradation, firstOf, type HealthProblem } from './health.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, replaceFile } from '@rollcall/adapters';

const lookMs = 30_000;

interface ProofWatchOptions {
  readonly log: EventReader;
  readonly snapshots: Pick<StateSnapshots, 'newest' | 'put' | 'close'>;
  readonly every?: Every;
}

/** Polls how far the projector's proof of the log is, and when the newest anchor was made, for metrics and health. */
export class ProofWatch {
  readonly #options: ProofWatchOptions;
  readonly #stop: () => void;
  proof: LogProof | undefined;
  /** In ms since the epoch. */
  anchoredAt: number | undefined;

  constructor(options: ProofWatchOptions) {
    this.#options = options;
    this.#stop = (options.every ?? everyByTimer)(lookMs, () => this.look());
    void this.look();
  }

  problems(): HealthProblem[] {
    const broken = this.proof?.broken ?? [];
    if (broken.length === 0) return [];
    const streams = broken.map(({ stream, revision }) => `${stream} at revision ${revision}`);
    return [degradation(`the event log is broken: ${firstOf(streams, ', ')}`)];
  }

  /** Never rejects: during an outage what was last known stands. */
  readonly look = sharing(() => this.#look().catch(() => undefined));

  async #look(): Promise<void> {
    this.proof = await readProof(this.#options);
    const anchor = await this.#options.log.readLast('anchors');
    this.anchoredAt = anchor && recordedAtOf(anchor);
  }

  close(): Promise<void> {
    this.#stop();
    return Promise.resolve();
  }
}

const fileOf = (dataDir: string): string => join(dataDir, 'last-verified.json');

/** Records when everything was found whole (ms), for `rollcall_last_verified_timestamp_seconds`. */
export const recordVerified = (dataDir: string, at: number): Promise<void> =>
  replaceFile(fileOf(dataDir), `${JSON.stringify({ at: new Date(at).toISOString() })}\n`, 0o644);

/** When the projector, or `audit verify` on this data folder, has last found all of the log whole (ms); 0: not yet. */
export const foundWholeAt = async (proof: LogProof | undefined, dataDir: string): Promise<number> =>
  Math.max(proof?.wholeAt ?? 0, (await readLastVerified(dataDir)) ?? 0);

/** When everything was last found whole (ms); undefined where unknown. */
async function readLastVerified(dataDir: string): Promise<number | undefined> {
  const { at: text } = Object(await read(fileOf(dataDir))) as { readonly at?: unknown };
  const at = Date.parse(String(text));
  return Number.isNaN(at) ? undefined : at;
}

async function read(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
