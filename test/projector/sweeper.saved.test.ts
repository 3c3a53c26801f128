import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { installationCreatedExample } from '@rollcall/contracts';
import { companyStateVersion } from '@rollcall/domain';
import { Sweeper } from '@rollcall/projector';
import t from 'tap';
import { withMembers } from '../support/with-members.js';
import { id, operationId, payload, write } from './import-calls.support.js';
import { failed, queued } from './import-events.support.js';
import { append, largeRefusal, openRig, refused, swept, type Rig } from './projector.support.js';

const DAY = 24 * 60 * 60_000;

/** A process that begins, and which events it reads of the log. */
function begun(on: Rig) {
  const read = new Set<string>();
  const log = withMembers(on.log, {
    subscribeToAll: async function* (options) {
      for await (const item of on.log.subscribeToAll(options)) {
        if (item.kind === 'event') read.add(`${item.event.stream}@${item.event.revision}`);
        yield item;
      }
    },
  });
  return { sweeper: new Sweeper({ ...on, log }), readEvents: () => [...read] };
}

const all = ['installation@0', 'operation-1@0', 'company-7@0', 'company-7@1'];

/** A queued import that has failed, its payload, and one that nobody refers to, so that there is something to look for. */
async function lived(on: Rig, installationId: string | null = randomUUID()): Promise<void> {
  if (installationId !== null) {
    const created = { ...installationCreatedExample, installationId };
    await append(on, 'installation', { name: 'InstallationCreated', data: created });
  }
  await append(on, 'operation-1', largeRefusal());
  await write(on, [queued(operationId, { payload: await payload(on, operationId) }), failed(operationId)]);
  await payload(on, id(2));
  on.clock.at += 2 * DAY;
}

t.test('a start reads on from where the one before has read to', async (t) => {
  const on = await openRig(t);
  await lived(on);
  const first = begun(on);
  t.strictSame(await swept(first.sweeper), [`payload-${id(2)}`]);
  t.strictSame(first.readEvents(), all);
  await append(on, 'operation-3', refused());
  await payload(on, id(4));
  on.clock.at += 2 * DAY;
  const second = begun(on);
  t.strictSame(await swept(second.sweeper), [`payload-${id(4)}`], 'and knows what that one knew');
  t.strictSame(second.readEvents(), ['operation-3@0']);
  on.clock.at += 4 * DAY;
  t.strictSame(await swept(begun(on).sweeper), [`payload-${operationId}`], 'when an import ended, too');
});

t.test('a log that is put back beside the process is read anew before anything is deleted', async (t) => {
  const [on, copy] = [await openRig(t), await openRig(t)];
  const installationId = randomUUID();
  await lived(on, installationId);
  let { log } = on;
  const now = new Proxy(on.log, { get: (_, name) => Reflect.get(log, name) as unknown });
  const sweeper = new Sweeper({ ...on, log: now });
  t.strictSame(await swept(sweeper), [`payload-${id(2)}`]);
  const created = { ...installationCreatedExample, installationId };
  await append(copy, 'installation', { name: 'InstallationCreated', data: created });
  await append(copy, 'operation-9', largeRefusal());
  await payload(copy, id(4));
  on.clock.at += 2 * DAY;
  ({ log } = copy);
  t.strictSame(await swept(sweeper), [`payload-${id(4)}`], 'what the copy refers to stays');
});

t.test('of an import that ended long ago nothing is kept', async (t) => {
  const on = await openRig(t);
  await lived(on);
  const saved = async (): Promise<string> => {
    const snapshot = await on.snapshots.newest('stream-references-1', companyStateVersion);
    return typeof snapshot === 'object' ? Buffer.from(snapshot.bytes).toString() : '';
  };
  await swept(new Sweeper(on));
  t.match(await saved(), operationId);
  on.clock.at += 10 * DAY;
  await swept(new Sweeper(on));
  await payload(on, id(4));
  on.clock.at += 2 * DAY;
  await append(on, 'operation-3', refused());
  t.strictSame(await swept(new Sweeper(on)), [`payload-${id(4)}`]);
  t.notMatch(await saved(), operationId);
});

for (const [what, installationId] of [
  ['of another log', randomUUID()],
  ['of a log without a name', null],
] as const)
  t.test(`what was read ${what} is not followed, whatever stands in it`, async (t) => {
    const [on, other] = [await openRig(t), await openRig(t)];
    await lived(on, installationId);
    await swept(new Sweeper(on));
    await lived(other, installationId === null ? null : randomUUID());
    const foreign = begun({ ...other, snapshots: on.snapshots });
    t.strictSame(await swept(foreign.sweeper), [`payload-${id(2)}`]);
    t.strictSame(foreign.readEvents(), installationId === null ? all.slice(1) : all);
  });

t.test('nor of a log that was put back and went on otherwise', async (t) => {
  const [on, other] = [await openRig(t), await openRig(t)];
  const installationId = randomUUID();
  await lived(on, installationId);
  await append(on, 'operation-3', refused());
  await swept(new Sweeper(on));
  await lived(other, installationId);
  await append(other, 'operation-3', refused(['another one']));
  const foreign = begun({ ...other, snapshots: on.snapshots });
  t.strictSame(await swept(foreign.sweeper), [`payload-${id(2)}`]);
  t.strictSame(foreign.readEvents(), [...all, 'operation-3@0']);
});

t.test('nor what cannot be read', async (t) => {
  const on = await openRig(t);
  await lived(on);
  await swept(new Sweeper(on));
  await rm(`${on.folder}/snapshots`, { recursive: true });
  await payload(on, id(4));
  on.clock.at += 2 * DAY;
  const again = begun(on);
  t.strictSame(await swept(again.sweeper), [`payload-${id(4)}`]);
  t.strictSame(again.readEvents(), all);
});
