import {
  CompanyBatch,
  type Delivery,
  dueInvitationsOf,
  Limiter,
  type DueInvitation,
  type InvitationEnd,
  type SendDeps,
  growingDelay,
  dueOf,
  type ReadModelReader,
  readPlansOf,
} from '@rollcall/application';

import { consumeQueue, type ConsumerOptions, type ConsumerCounts } from '../consumer.js';
import { failureOf, type FailureCounts } from '../counts.js';
import { ack, type DeliveryEnd, minute, nak, second, type Settlement, settlementOf } from '../settlement.js';
import type { Tracing } from '@rollcall/host';

export interface InvitationCounts extends ConsumerCounts, FailureCounts {
  malformed: number;
  sent: number;
  deferred: number;
  failed: number;
  cancelled: number;
  nothing: number;
  /** Not sent: the company was held meanwhile, the employee left or came back, or time ran out. */
  withheld: number;
  paced: number;
  /** Delayed until the read models have the employee. */
  behind: number;
}

export const newInvitationCounts = (): InvitationCounts => ({
  deliveries: 0,
  redeliveries: 0,
  unsettled: 0,
  queueLost: 0,
  malformed: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  cancelled: 0,
  nothing: 0,
  withheld: 0,
  paced: 0,
  behind: 0,
  outage: 0,
  corrupt: 0,
  error: 0,
});

interface InvitationsOptions extends ConsumerOptions {
  /** Invitations in flight, from before the claim until the mailer's answer. */
  readonly underWay: number;
  readonly counts: InvitationCounts;
  readonly send: SendDeps;
  readonly onLook?: (due: DueInvitation, look: InvitationAttempt) => Promise<void>;
}

/** Sends due invitations until the signal aborts. Lost and duplicate messages do no harm: the log decides. */
export function runInvitations(options: InvitationsOptions): Promise<void> {
  const { logger } = options;
  const slots = new Limiter(options.underWay);
  return consumeQueue(options, {
    queueName: 'invitations',
    handle: async (delivery) => settlementOfAll(await endsOf(options, slots, delivery), delivery.attempt),
    left: (invitations) => logger.warn({ invitations }, 'invitations are left to another worker'),
  });
}

type End = InvitationEnd | DeliveryEnd;

async function endsOf(
  options: InvitationsOptions,
  slots: Limiter,
  { body, attempt }: Delivery,
): Promise<readonly End[]> {
  const { counts, logger, send } = options;
  const due = dueInvitationsOf(body);
  if (due === undefined) {
    counts.malformed += 1;
    logger.error({ bytes: body.length }, 'a message of the queue is none that is known');
    return ['malformed'];
  }
  const { companyId } = due;
  const numbers = [...new Set(due.numbers)];
  const round = new CompanyBatch(send, { companyId, numbers }, attempt > 1);
  return Promise.all(
    numbers.map((number) =>
      inSlot(options, slots, (leave) => endOf(options, { round, leave }, { companyId, number })),
    ),
  );
}

async function inSlot(
  { signal }: InvitationsOptions,
  slots: Limiter,
  task: (leave: () => void) => Promise<End>,
): Promise<End> {
  const leave = await slots.enter();
  try {
    return signal.aborted ? 'stopped' : await task(leave);
  } finally {
    leave();
  }
}

async function endOf(
  options: InvitationsOptions,
  { round, leave }: { readonly round: CompanyBatch; readonly leave: () => void },
  due: DueInvitation,
): Promise<End> {
  const { counts, logger } = options;
  try {
    const start = Date.now();
    const end = await round.send(due.number, leave);
    counts[end.kind] += 1;
    await options.onLook?.(due, { end, start });
    if (end.kind === 'failed') logger.warn({ ...due }, 'an invitation failed for good');
    return end;
  } catch (error) {
    return failureOf(options, { what: 'an invitation waits', ids: due }, error);
  }
}

/** Done when all its invitations are. Otherwise redelivered when all that the rate holds back may go, or sooner for others. */
function settlementOfAll(ends: readonly End[], attempt: number): Settlement {
  const paced = ends.flatMap((end) => (typeof end !== 'string' && end.kind === 'paced' ? [end.delayMs] : []));
  // The rate saves up no more than a second.
  const delays = paced.length === 0 ? [] : [Math.min(Math.max(...paced), Math.min(...paced) + second)];
  for (const end of ends) {
    const settlement = settlementOfOne(end, attempt);
    if (settlement.call === 'term') return settlement;
    if (settlement.call === 'nak') delays.push(settlement.delayMs);
  }
  return delays.length === 0 ? ack : nak(Math.min(...delays));
}

function settlementOfOne(end: End, attempt: number): Settlement {
  if (typeof end === 'string') return settlementOf(end, attempt);
  return end.kind === 'behind' ? nak(growingDelay(attempt, second / 4, minute / 2)) : ack;
}

/** Outcomes after which a mail was, or would have been, tried. */
const tried: readonly InvitationEnd['kind'][] = ['sent', 'deferred', 'failed'];

interface InvitationAttempt {
  readonly end: InvitationEnd;
  readonly start: number;
}

/** Adds a mail to the trace of the import that planned it; a requested one has its own trace. */
export async function recordInvitation(
  { tracing, readModels }: { readonly tracing: Tracing; readonly readModels: Pick<ReadModelReader, 'find'> },
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
  const found = await readPlansOf(readModels, companyId, number);
  return found && dueOf(found.plans, number) !== undefined ? found.plans.operationId : undefined;
}
