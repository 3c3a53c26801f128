import { apiUsers, companyStateVersion } from '@rollcall/domain';
import type { LoadedState, StateStore } from '../event-store/load-state.js';
import { isOutage } from '../ports/problems.js';
import type { StateSnapshots } from '../ports/state-snapshots.js';

/** Folded in some 20 ms. */
const leastTailEvents = 1_000;

/** Snapshots of the stream `api-users`. A process that folds a long tail writes the next one (design: "Deciding", 1). */
export class ApiUsersStates implements StateStore<apiUsers.ApiUsersState> {
  readonly #snapshots: Pick<StateSnapshots, 'newest' | 'put'>;
  readonly #onUnwritten: (error: unknown) => void;
  #saved = 0;
  #writing: Promise<void> = Promise.resolve();

  /** `onUnwritten`: the next reader folds more, and nothing else is lost. */
  constructor(
    snapshots: Pick<StateSnapshots, 'newest' | 'put'>,
    onUnwritten: (error: unknown) => void = () => undefined,
  ) {
    this.#snapshots = snapshots;
    this.#onUnwritten = onUnwritten;
  }

  get(): undefined {
    return undefined;
  }

  async snapshot(stream: string, behind: number): Promise<LoadedState<apiUsers.ApiUsersState> | undefined> {
    const found = await this.#snapshots.newest(stream, companyStateVersion).catch(unlessOutage);
    if (found === undefined || found === 'unusable' || found.revision <= behind) return undefined;
    const state = apiUsers.decodeApiUsers(found.bytes);
    if (state === undefined) return undefined;
    const { revision, chain, recordedAt } = found;
    this.#saved = revision;
    return { state, head: { revision, chain, recordedAt } };
  }

  unfit(): void {
    this.#saved = 0;
  }

  put(stream: string, { state, head }: LoadedState<apiUsers.ApiUsersState>): void {
    const { revision, chain, recordedAt } = head;
    if (revision === 'no-stream' || recordedAt === null) return;
    if (revision - this.#saved < Math.max(leastTailEvents, this.#saved / 4)) return;
    this.#saved = revision;
    const bytes = apiUsers.encodeApiUsers(state);
    const snapshot = { stream, revision, stateVersion: companyStateVersion, chain, recordedAt, bytes };
    this.#writing = this.#writing.then(() => this.#snapshots.put(snapshot)).catch(this.#onUnwritten);
  }

  /** Resolves when no snapshot is being written. */
  settled(): Promise<void> {
    return this.#writing;
  }
}

function unlessOutage(error: unknown): undefined {
  if (!isOutage(error)) throw error;
  return undefined;
}
