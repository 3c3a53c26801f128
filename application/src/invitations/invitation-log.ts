import { decideStep, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, initialState, type LoadedState, type Fold } from '../event-store/load-state.js';
import { systemContext } from '../event-store/linked-events.js';
import { untilAccepted } from '../event-store/outage-retry.js';
import { eventNamed, type LoadedEvent } from '../event-store/loaded-event.js';
import type { CallContext } from '@rollcall/contracts';
import { type Events, invitations, type Nothing } from '@rollcall/domain';

export interface DueInvitation {
  readonly companyId: number;
  readonly number: number;
}

export const invitationFold: Fold<invitations.InvitationState> = {
  initial: invitations.initialState,
  evolve: async (state, event) => {
    const happened = await eventNamed(event, invitations.invitationEventNames);
    return happened ? invitations.evolve(state, happened) : state;
  },
};

export type InvitationDecision = Events<readonly [invitations.InvitationEvent]> | Nothing;

type Decide = (state: invitations.InvitationState) => InvitationDecision;

export interface InvitationLogDeps extends DecideAndAppendDeps {
  readonly wait: (ms: number) => Promise<void>;
}

/** One invitation's stream; taken as empty until it is read or written. */
export class InvitationLog {
  readonly #deps: InvitationLogDeps;
  readonly #due: DueInvitation;
  #known: LoadedState<invitations.InvitationState> = initialState(invitationFold);

  constructor(deps: InvitationLogDeps, due: DueInvitation) {
    this.#deps = deps;
    this.#due = due;
  }

  get #stream(): string {
    return invitations.invitationStream(this.#due.companyId, this.#due.number);
  }

  get state(): invitations.InvitationState {
    return this.#known.state;
  }

  async load(): Promise<void> {
    this.#known = await foldStream(this.#deps.log, this.#stream, invitationFold);
  }

  /** At the exact revision; after a conflict it reads on and decides again. Returns the appended event, if any. */
  async append(decide: Decide, context: CallContext = this.#context()): Promise<LoadedEvent | undefined> {
    const outcome = await decideStep<invitations.InvitationState, never>(this.#deps, {
      stream: this.#stream,
      context,
      fold: invitationFold,
      store: { get: () => this.#known, put: (_, loaded) => (this.#known = loaded) },
      fromMemory: true,
      isFresh: true,
      decide: (state) => {
        const decision = decide(state);
        if (decision.kind === 'nothing') return decision;
        const [event] = decision.events;
        return { ...decision, after: (before) => invitations.evolve(before, event) };
      },
    });
    return outcome.kind === 'appended' ? outcome.events[0] : undefined;
  }

  /** As `append`, until the log accepts it. */
  async record(decide: Decide): Promise<void> {
    const context = this.#context();
    await untilAccepted(() => this.append(decide, context), this.#deps);
  }

  #context(): CallContext {
    return systemContext('worker', this.#deps.clock.now(), this.#due.companyId);
  }
}
