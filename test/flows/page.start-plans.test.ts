import type { IndexOptions } from '@rollcall/application';
import { installationCreatedExample } from '@rollcall/contracts';
import tap from 'tap';
import { busyDay, happened } from '../page/history.js';
import { saveOpenInvitations } from '../support/open-invitations.js';
import { startTestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { ada, signedIn } from './page.support.js';

tap.test('the first look after a start reads no plan that a worker has read', async (t) => {
  const from: unknown[] = [];
  const app = await startTestApp(t, {
    wrap: ({ log, readModels, snapshots }) => ({
      log,
      snapshots,
      readModels: withMembers(readModels, {
        findByIndex: (collection: string, index: string, options: IndexOptions) => {
          if (index === 'position') from.push(options.from);
          return readModels.findByIndex(collection, index, options);
        },
      }),
    }),
  });
  await busyDay(app);
  await app.projected();
  const { installationId } = installationCreatedExample;
  const created = { name: 'InstallationCreated', data: installationCreatedExample } as const;
  await happened(app, { at: Date.now(), stream: 'installation' }, created);
  await app.projected();
  const { log, snapshots, readModels } = app.adapters;
  const progress = async () => {
    const known = await readModels.progress();
    return { ...known, last: known.last && { ...known.last, installationId } };
  };
  const own = withMembers(readModels, { progress });
  const readTo = await saveOpenInvitations({ log, snapshots, readModels: own });
  await (await signedIn(app, { ...ada, companyId: null })).get('/operations');
  t.ok(readTo > 0);
  t.equal(from[0], readTo + 1);
});
