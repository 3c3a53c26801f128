import type { EventName, ImportKind } from '@rollcall/contracts';
import type { CompanyState } from '@rollcall/domain';
import { type Fold, headAt, initialState, type LoadedState, verifyNext } from '../event-store/load-state.js';
import { endedOperation } from '../imports/terminal-events.js';
import type { EventReader } from '../ports/event-log.js';

/** An import that has changed a set, and the company before and right after it. */
export interface CarriedOut {
  readonly kind: ImportKind;
  /** Of its terminal event. */
  readonly eventId: string;
  readonly revision: number;
  readonly before: CompanyState;
  readonly reached: LoadedState<CompanyState>;
}

export interface NothingToUndo {
  readonly reason: 'unknown' | 'pending' | 'failed' | 'cancelled' | 'rejected' | 'changed-nothing';
}

const kinds: { readonly [N in EventName]?: ImportKind } = {
  EmployeeSetReplaced: 'employees',
  ManagerRolesImported: 'managers',
};

const reasons: { readonly [N in EventName]?: NothingToUndo['reason'] } = {
  ImportQueued: 'pending',
  ImportFailed: 'failed',
  ImportCancelled: 'cancelled',
  ImportRejected: 'rejected',
  EmployeeSetConfirmed: 'changed-nothing',
  ManagerRolesConfirmed: 'changed-nothing',
};

/** Folds the company's stream up to the import's end, chain verified. */
export async function findImport(
  log: EventReader,
  fold: Fold<CompanyState>,
  { stream, operationId }: { readonly stream: string; readonly operationId: string },
): Promise<CarriedOut | NothingToUndo> {
  let { state, head } = initialState(fold);
  let reason: NothingToUndo['reason'] = 'unknown';
  for await (const recorded of log.readStream(stream)) {
    const event = verifyNext(log, head, recorded);
    const before = state;
    state = await fold.evolve(state, event);
    head = headAt(event);
    const { id: eventId, name, revision, metadata } = event;
    if ((endedOperation(recorded) ?? metadata.operationId) !== operationId) continue;
    const kind = kinds[name];
    if (kind) return { kind, eventId, revision, before, reached: { state, head } };
    reason = reasons[name] ?? reason;
  }
  return { reason };
}
