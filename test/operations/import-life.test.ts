import { importLife, listImports } from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import { projections } from '@rollcall/projector';
import t from 'tap';
import { cancelled, queued } from '../projector/import-events.support.js';
import { append, configured, openRig, projectAll } from '../projector/projector.support.js';

t.test('the life of an import that waited behind many others', async (t) => {
  for (const between of [498, 499, 500, 1_700]) {
    const on = await openRig(t);
    const others = (count: number) =>
      append(on, 'company-7', Array(count).fill({ name: 'InvitationsHeld', data: { reason: null } }));
    await append(on, 'company-7', configured(7, 'Acme'));
    await others(1_100);
    on.clock.at += 60_000;
    const time = on.clock.at.toString(16).padStart(12, '0');
    const operationId = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
    await append(on, 'company-7', queued(operationId), { operationId });
    await others(between);
    on.clock.at += 60_000;
    await append(on, 'company-7', cancelled(operationId));
    await projectAll({ ...on, projections });
    const [one] = (await listImports(on.readModels, { companyId: 7, limit: 1 })).imports;
    const life = one && (await importLife(on, one));
    t.strictSame(
      life?.events.map(({ type }) => type),
      ['ImportQueued', 'ImportCancelled'],
      `${between} between`,
    );
    t.equal(life?.queued?.elements, 2);
  }
});

t.test(
  'a webhook that has gone on to an event of another stream has got what became of an import',
  async (t) => {
    const on = await openRig(t);
    const operationId = '019b0000-0000-7000-8000-000000000001';
    const added = (webhookId: number) =>
      ({
        name: 'WebhookAdded' as const,
        data: { webhookId, url: `https://hr.example.com/${webhookId}`, types: ['import.failed' as const] },
      }) satisfies DomainEvent;
    const delivered = (webhookId: number, stream: string, revision: number) =>
      ({ name: 'WebhookDelivered', data: { webhookId, stream, revision, count: 1 } }) as const;
    const dueAt = '2026-11-25T07:00:00.000Z';
    const requested = { name: 'InvitationRequested', data: { dueAt, replaces: null, reason: null } } as const;
    await append(on, 'company-7', configured(7, 'Acme'));
    await append(on, 'webhooks-7', [added(1), added(2), added(3)]);
    await append(on, 'invitation-7-1', requested);
    await append(on, 'company-7', queued(operationId), { operationId });
    await append(on, 'company-7', cancelled(operationId));
    await append(on, 'invitation-7-2', requested);
    await append(on, 'webhooks-7', [
      delivered(1, 'invitation-7-1', 0),
      delivered(2, 'company-7', 2),
      delivered(3, 'invitation-7-2', 0),
    ]);
    await append(on, 'webhooks-7', added(4));
    await projectAll({ ...on, projections });
    const [one] = (await listImports(on.readModels, { companyId: 7, limit: 1 })).imports;
    t.strictSame(one && (await importLife(on, one)).webhooks, [
      { url: 'https://hr.example.com/1', isDelivered: false },
      { url: 'https://hr.example.com/2', isDelivered: true },
      { url: 'https://hr.example.com/3', isDelivered: true },
    ]);
  },
);
