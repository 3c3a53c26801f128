import { hostname } from 'node:os';
import {
  decideAndAppend,
  type DecideAndAppendDeps,
  type Decision,
} from '../event-store/decide-and-append.js';
import { foldStream, type LoadedState } from '../event-store/fold.js';
import { newId } from '../ports/ids.js';
import { growingDelay } from '../timers.js';
import { invitationFold as fold } from './invitation-fold.js';
import { isOutage } from '../ports/problems.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { CallContext } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import type { DueInvitation } from './recipient.js';

type Loaded = LoadedState<invitations.InvitationState>;

/** Waits before a record that the log did not take is tried again. */
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 5_000;

export interface InvitationLogDeps extends DecideAndAppendDeps {
  readonly wait: (ms: number) => Promise<void>;
}

/** One invitation's stream. */
export class InvitationLog {
  readonly #deps: InvitationLogDeps;
  readonly #due: DueInvitation;

  constructor(deps: InvitationLogDeps, due: DueInvitation) {
    this.#deps = deps;
    this.#due = due;
  }

  get #stream(): string {
    return invitations.invitationStream(this.#due.companyId, this.#due.number);
  }

  /** From the leader. */
  load(): Promise<Loaded> {
    return foldStream(this.#deps.log, this.#stream, fold);
  }

  /** Decides and appends at the exact revision; where somebody was faster it looks again. The event, where one was appended. */
  async append(
    decide: (state: invitations.InvitationState) => Decision<never>,
    options: { readonly known?: Loaded; readonly context?: CallContext } = {},
  ): Promise<LoadedEvent | undefined> {
    const { known, context = this.#context() } = options;
    const outcome = await decideAndAppend(this.#deps, {
      stream: this.#stream,
      context,
      fold,
      store: { get: () => known, put: () => undefined },
      fromMemory: true,
      decide,
    });
    return outcome.kind === 'appended' ? outcome.events[0] : undefined;
  }

  /** The same, for what has happened already and has to be known: it tries until the log takes it. */
  async record(decide: (state: invitations.InvitationState) => Decision<never>): Promise<void> {
    const context = this.#context();
    for (let failures = 1; ; failures++) {
      try {
        await this.append(decide, { context });
        return;
      } catch (error) {
        if (!isOutage(error)) throw error;
        await this.#deps.wait(growingDelay(failures, FIRST_WAIT_MS, LAST_WAIT_MS));
      }
    }
  }

  #context(): CallContext {
    return {
      companyId: this.#due.companyId,
      operationId: newId(),
      userId: null,
      username: `system:worker@${hostname()}`,
      causationId: null,
      receivedAt: new Date(this.#deps.clock.now()).toISOString(),
    };
  }
}
