import { hostname } from 'node:os';
import { decideStep, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, initialState, type LoadedState } from '../event-store/fold.js';
import { newId } from '../ports/ids.js';
import { growingDelay } from '../timers.js';
import { invitationFold as fold } from './invitation-fold.js';
import { isOutage } from '../ports/problems.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { CallContext } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import type { DueInvitation } from './recipient.js';

type Loaded = LoadedState<invitations.InvitationState>;

/** What a decision about an invitation comes to. */
export type InvitationDecision =
  | { readonly kind: 'events'; readonly events: readonly [invitations.InvitationEvent] }
  | { readonly kind: 'nothing' };

type Decide = (state: invitations.InvitationState) => InvitationDecision;

/** Waits before a record that the log did not take is tried again. */
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 5_000;

export interface InvitationLogDeps extends DecideAndAppendDeps {
  readonly wait: (ms: number) => Promise<void>;
}

const username = `system:worker@${hostname()}`;

/** One invitation's stream, taken to be empty until it is read or written. */
export class InvitationLog {
  readonly #deps: InvitationLogDeps;
  readonly #due: DueInvitation;
  #known: Loaded = initialState(fold);

  constructor(deps: InvitationLogDeps, due: DueInvitation) {
    this.#deps = deps;
    this.#due = due;
  }

  get #stream(): string {
    return invitations.invitationStream(this.#due.companyId, this.#due.number);
  }

  /** As far as it is known here. */
  get state(): invitations.InvitationState {
    return this.#known.state;
  }

  /** From the leader. */
  async load(): Promise<void> {
    this.#known = await foldStream(this.#deps.log, this.#stream, fold);
  }

  /** Decides and appends at the exact revision; where somebody was faster it looks again. The event, where one was appended. */
  async append(decide: Decide, context: CallContext = this.#context()): Promise<LoadedEvent | undefined> {
    const outcome = await decideStep<invitations.InvitationState, never>(this.#deps, {
      stream: this.#stream,
      context,
      fold,
      store: { get: () => this.#known, put: (_, loaded) => (this.#known = loaded) },
      fromMemory: true,
      decide: (state) => {
        const decision = decide(state);
        if (decision.kind === 'nothing') return decision;
        const [event] = decision.events;
        return { ...decision, after: (before) => invitations.evolve(before, event) };
      },
    });
    return outcome.kind === 'appended' ? outcome.events[0] : undefined;
  }

  /** The same, for what has happened already and has to be known: it tries until the log takes it. */
  async record(decide: Decide): Promise<void> {
    const context = this.#context();
    for (let failures = 1; ; failures++) {
      try {
        await this.append(decide, context);
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
      username,
      causationId: null,
      receivedAt: new Date(this.#deps.clock.now()).toISOString(),
    };
  }
}
