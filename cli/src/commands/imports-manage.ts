import {
  cancelQueuedImport,
  decideHeldImport,
  retryQueuedImport,
  type CancelOutcome,
  type ManageImportsDeps,
  type RetryOutcome,
} from '@rollcall/application';
import type { CallContext } from '@rollcall/contracts';
import type { ImportStatus } from '@rollcall/domain';
import type { CliIo } from '../cli-io.js';
import { withCompanyStates } from '../company-states.js';
import { companyOfImport } from '../imports/rows.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores } from '../session.js';

export interface ManageOptions {
  readonly operation: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** `work` resolves with what is answered, as JSON and as a sentence. */
const managing = (
  io: CliIo,
  { operation, reason, json = false }: ManageOptions,
  work: (
    deps: ManageImportsDeps,
    context: CallContext,
    command: { readonly companyId: number; readonly operationId: string },
  ) => Promise<readonly [fields: object, done: string]>,
): Promise<void> =>
  withStores(io, async (session) => {
    const companyId = await companyOfImport(session, operation);
    const context = session.context(companyId, reason);
    const deps = await withCompanyStates(session);
    const [fields, done] = await work(deps, context, { companyId, operationId: operation });
    const text = `Import ${operation} of company ${companyId} is ${done}.`;
    await answer(io, json, { operationId: operation, companyId, ...fields }, [text]);
  });

export const cancelImport = (io: CliIo, options: ManageOptions): Promise<void> =>
  managing(io, options, async (deps, context, command) => {
    const outcome = await cancelQueuedImport(deps, context, command);
    if (outcome.kind === 'refused') throw cancelRefusal(options.operation, outcome.rejection);
    return [{ cancelled: true }, 'cancelled'];
  });

/** Approves a held import, or rejects it. */
export const decideImport = (
  io: CliIo,
  decision: 'approve' | 'reject',
  options: ManageOptions,
): Promise<void> =>
  managing(io, options, async (deps, context, command) => {
    const outcome = await decideHeldImport(deps, context, { ...command, decision });
    if (outcome.kind === 'refused')
      throw new Refusal(
        `Import ${options.operation} is not held: only one that waits for approval can be decided on.`,
      );
    if (decision === 'reject') return [{ rejected: true }, 'rejected'];
    return [{ approved: true }, `approved: it is ${outcome.isOutdated ? decidedAnew : 'carried out now'}`];
  });

const decidedAnew = 'decided anew under the changed settings, and held anew if it is over the limit';

export const retryImport = (
  io: CliIo,
  { force = false, ...options }: ManageOptions & { readonly force?: boolean },
): Promise<void> =>
  managing(io, options, async (deps, context, command) => {
    const outcome = await retryQueuedImport(deps, context, { ...command, force });
    if (outcome.kind === 'refused') throw retryRefusal(command, outcome.rejection);
    const { operationId } = outcome;
    return [{ operationId, retryOf: options.operation }, `queued again, as ${operationId}`];
  });

type RejectionOf<O> = Extract<O, { kind: 'refused' }> extends { rejection: infer R } ? R : never;

const statusText: Readonly<Record<ImportStatus, string>> = {
  pending: 'is pending',
  done: 'was carried out',
  failed: 'has failed',
  cancelled: 'is cancelled already',
  rejected: 'was rejected',
};

const neverQueued = (operation: string): Refusal =>
  new Refusal(`Import ${operation} was never queued: it was carried out, or refused, when it came.`);

function cancelRefusal(operation: string, rejection: RejectionOf<CancelOutcome>): Refusal {
  if (rejection.reason === 'never-queued') return neverQueued(operation);
  return new Refusal(
    `Import ${operation} ${statusText[rejection.status]}: only a pending one can be cancelled.`,
  );
}

function retryRefusal(
  { companyId, operationId }: { companyId: number; operationId: string },
  rejection: RejectionOf<RetryOutcome>,
): Refusal {
  const which = `Import ${operationId}`;
  switch (rejection.reason) {
    case 'never-queued':
      return neverQueued(operationId);
    case 'not-ended-badly':
      return new Refusal(
        `${which} ${statusText[rejection.status]}: only one that failed, was cancelled or rejected can be tried again.`,
      );
    case 'payload-gone':
      return new Refusal(`The body of import ${operationId} is gone: have the caller send it again.`);
    case 'integration-not-allowed':
      return new Refusal(
        `Company ${companyId} may not import: run \`rollcall company configure --company ${companyId} --integration on --reason WHY\` first.`,
      );
    case 'newer-accepted':
      return new Refusal(
        `A newer set was accepted since, at company-${companyId}@${rejection.revision}: ${which} would put an older one in its place. Use --force to have that.`,
      );
    case 'set-changed':
      return new Refusal(
        `${which} was for the set of revision ${String(rejection.ifMatch)}, which is at ${rejection.current ?? 'none'} now. Use --force to replace it all the same.`,
      );
    default:
      return rejection satisfies never;
  }
}
