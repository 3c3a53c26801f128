import { importLife, listImports } from '@rollcall/application';
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
