import {
  type DueInvitation,
  dueOf,
  type InvitationEnd,
  type ReadModelReader,
  readPlans,
} from '@rollcall/application';
import type { Tracing } from '@rollcall/host';

export interface InvitationSpansDeps {
  readonly tracing: Tracing;
  readonly readModels: Pick<ReadModelReader, 'find'>;
}

/** Outcomes after which a mail was, or would have been, tried. */
const tried: readonly InvitationEnd['kind'][] = ['sent', 'deferred', 'failed'];

export interface InvitationAttempt {
  readonly end: InvitationEnd;
  readonly start: number;
}

/** Adds a mail to the trace of the import that planned it; a requested one has its own trace. */
export async function recordInvitation(
  { tracing, readModels }: InvitationSpansDeps,
  due: DueInvitation,
  { end, start }: InvitationAttempt,
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

async function originOf(
  readModels: Pick<ReadModelReader, 'find'>,
  { companyId, number }: DueInvitation,
): Promise<string | undefined> {
  for await (const { plans } of readPlans(readModels, companyId, number - 1))
    return dueOf(plans, number) === undefined ? undefined : plans.operationId;
  return undefined;
}
