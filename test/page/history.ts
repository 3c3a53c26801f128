import { changeWebhook, decideAndAppend } from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import { testContext, type TestApp } from '../support/test-app.js';

const hourMs = 3_600_000;

/** A UUID v7 of this moment: the time of an operation is in its id. */
export function operationAt(at: number, count: number): string {
  const time = Math.floor(at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(count).padStart(12, '0')}`;
}

/** Appends an event as if it had happened then. */
export async function happened(
  { adapters: { log } }: Pick<TestApp, 'adapters'>,
  {
    at,
    stream,
    operationId,
    companyId = 7,
  }: {
    readonly at: number;
    readonly stream: string;
    readonly operationId?: string;
    readonly companyId?: number;
  },
  event: DomainEvent,
): Promise<void> {
  const context = { ...testContext(companyId), ...(operationId === undefined ? {} : { operationId }) };
  await decideAndAppend<null, never>(
    { log, clock: { now: () => at } },
    {
      stream,
      context: { ...context, receivedAt: new Date(at).toISOString() },
      fold: { initial: () => null, evolve: () => null },
      decide: () => ({ kind: 'events', events: [event] }),
    },
  );
}

const summary = {
  bodySha256: 'b1'.repeat(32),
  digestVersion: 1,
  ...{ inserted: 0, updated: 0, removed: 0, total: 0, lastNumber: 0 },
  setDigest: 'e1'.repeat(16),
} as const;

/** A day of company 7: imports each hour, some failed, invitations in business hours, and a webhook that accepts nothing. */
export async function busyDay(app: TestApp): Promise<void> {
  const now = Date.now();
  let count = 0;
  for (let hour = 23; hour >= 0; hour--)
    for (let each = 0; each < (hour * 7) % 5; each++) {
      const at = now - hour * hourMs;
      const operationId = operationAt(at, ++count);
      const failed = { operationId, kind: 'employees', status: 422, reason: 'over the batch limit' } as const;
      const data = { ...failed, validationErrors: ['Over the limit'] };
      await happened(
        app,
        { at, stream: 'company-7', operationId },
        count % 7 === 0
          ? { name: 'ImportFailed', data }
          : { name: 'EmployeeSetConfirmed', data: { operationId, ...summary } },
      );
    }
  await invitations(app, now);
  const hook = {
    kind: 'add',
    companyId: 7,
    url: 'https://hr.example.com/hook',
    types: ['import.failed'],
  } as const;
  await changeWebhook({ ...app.adapters, clock: { now: () => now } }, testContext(7), hook);
  const deferred = { webhookId: 1, attempt: 3, problem: 'the server answered with 500' };
  const since = new Date(now - 3 * hourMs).toISOString();
  const data = { ...deferred, since, nextAttemptAt: new Date(now + hourMs).toISOString() };
  await happened(app, { at: now, stream: 'webhooks-7' }, { name: 'WebhookDeferred', data });
}

async function invitations(app: TestApp, now: number): Promise<void> {
  for (let number = 1; number <= 60; number++) {
    const at = now - (1 + ((number * 5) % 9)) * hourMs;
    const dueAt = new Date(at - 60_000).toISOString();
    const messageId = `0f8b1e6c-3d52-4a8e-9c41-${String(number).padStart(12, '0')}@example.com`;
    const sent = { dueAt, messageId, response: '250 ok', sentAt: new Date(at).toISOString() };
    const failed = { dueAt, code: '550', problem: 'no such mailbox' };
    await happened(
      app,
      { at, stream: `invitation-7-${number}` },
      number % 10 === 0 ? { name: 'InvitationFailed', data: failed } : { name: 'InvitationSent', data: sent },
    );
  }
}
