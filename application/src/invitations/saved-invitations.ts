import { logSnapshot, putLogSnapshot, type SnapshotStores } from '../installation/log-snapshot.js';
import type { Clock } from '../ports/clock.js';
import type { Position } from '../ports/event-log.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { OpenInvitations, type SavedInvitations } from './open-invitations.js';

const name = 'open-invitations-1';

export const SAVE_INVITATIONS_MS = 60_000;

/** Some 6 MiB as JSON. More than these are not saved: a start then reads every plan. */
const maxSavedRanges = 200_000;

interface Taken {
  readonly state: SavedInvitations;
  /** The log's end behind everything that the state follows from. */
  readonly end: Position;
}

type Stores = Pick<SnapshotStores, 'log'> & Partial<SnapshotStores>;

interface SavedInvitationsDeps extends SnapshotStores {
  readonly readModels: Pick<ReadModelReader, 'progress'>;
  readonly clock: Clock;
}

/** What a worker knows of the open invitations, for its next start: plans that are wholly done are not read again. */
export class InvitationsSnapshot {
  readonly #deps: SavedInvitationsDeps;
  #taken: Taken | undefined;
  #saved = '';
  #takenAt: number;

  constructor(deps: SavedInvitationsDeps) {
    this.#deps = deps;
    this.#takenAt = deps.clock.now();
  }

  /** Knows nothing where there is no snapshot, or it is of another or a restored log. */
  static async load({ log, snapshots }: Stores, mostAsked?: number): Promise<OpenInvitations> {
    const saved = snapshots && (await logSnapshot({ log, snapshots }, name));
    return OpenInvitations.from(saved as SavedInvitations | undefined, mostAsked);
  }

  /** Call it after each look. A state is saved once the read models' newest event proves that the log still has its events. */
  async save(open: OpenInvitations): Promise<void> {
    const now = this.#deps.clock.now();
    if (this.#taken === undefined) await this.#take(open, now);
    if (this.#taken === undefined) return;
    const { state, end } = this.#taken;
    const { position, last } = await this.#deps.readModels.progress();
    if (position === undefined || position < end || last === undefined) return;
    this.#taken = undefined;
    const text = JSON.stringify(state);
    if (text === this.#saved) return;
    const recordedAt = new Date(now).toISOString();
    await putLogSnapshot(this.#deps, { name, last, recordedAt, state: { ...state } });
    this.#saved = text;
  }

  async #take(open: OpenInvitations, now: number): Promise<void> {
    if (Math.abs(now - this.#takenAt) < SAVE_INVITATIONS_MS) return;
    this.#takenAt = now;
    const { saved: state } = open;
    const ranges = state.companies.reduce((sum, [, { open: own }]) => sum + own.length, 0);
    const end = ranges > maxSavedRanges ? undefined : await this.#deps.log.lastPosition();
    if (end !== undefined) this.#taken = { state, end };
  }
}
