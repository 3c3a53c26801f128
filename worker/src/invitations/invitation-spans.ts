import {
  type DueInvitation,
  dueOf,
  type InvitationEnd,
  type ReadModelReader,
  readPlans,
} from '@rollcall/application';
import type { Tracing } from '@rollcall/adapters';

export interface InvitationSpansDeps {
  readonly tracing: Tracing;
  readonly readModels: Pick<ReadModelReader, 'find'>;
}

/** Ends at which a mail was tried, or would have been. */
const tried: readonly InvitationEnd['kind'][] = ['sent', 'deferred', 'failed'];

/** What came of a look at an invitation, and when it began (ms since the epoch). */
export interface InvitationLook {
  readonly end: InvitationEnd;
  readonly start: number;
}

/** Reports a mail in the trace of the import that planned it; one that a person asked for has a trace of its own. */
export async function recordInvitation(
  { tracing, readModels }: InvitationSpansDeps,
  due: DueInvitation,
  { end, start }: InvitationLook,
): Promise<void> {
  if (!tracing.isOn || !tried.includes(end.kind)) return;
  const finished = Date.now();
  tracing.record({
    name: 'send invitation',
    kind: 'client',
    start,
    end: finished,
    operationId: await originOf(readModels, due).catch(() => undefined),
    attributes: {
      'messaging.system': 'rollcall',
      'messaging.destination.name': 'invitations',
      'rollcall.company': due.companyId,
      'rollcall.invitation.outcome': end.kind,
    },
    failed: end.kind === 'failed',
  });
}

/** The import whose numbers the employee's is among. */
async function originOf(
  readModels: Pick<ReadModelReader, 'find'>,
  { companyId, number }: DueInvitation,
): Promise<string | undefined> {
  for await (const { plans } of readPlans(readModels, companyId, number - 1))
    return dueOf(plans, number) === undefined ? undefined : plans.operationId;
  return undefined;
}
