import { randomUUID } from 'node:crypto';
import { installationCreatedExample } from '@rollcall/contracts';
import { InvitationsSnapshot, SAVE_INVITATIONS_MS, type ReadModelReader } from '@rollcall/application';
import { projections } from '@rollcall/projector';
import t, { type Test } from 'tap';
import {
  append,
  employeeSet,
  openRig,
  projectAll,
  refused,
  type Rig,
} from '../projector/projector.support.js';
import { openInvitations } from '../support/open-invitations.js';
import { withMembers } from '../support/with-members.js';

const due = '2026-12-01T07:00:00Z';

const created = (on: Rig, installationId: string): Promise<bigint> =>
  append(on, 'installation', {
    name: 'InstallationCreated',
    data: { ...installationCreatedExample, installationId },
  });

const invite = (on: Rig, number: number): Promise<bigint> =>
  append(
    on,
    'company-7',
    employeeSet({ added: [{ number, id: `E${number}`, due }], total: number, lastNumber: number }),
  );

const project = (on: Rig): Promise<void> => projectAll({ ...on, projections });

async function begun(on: Rig) {
  const snapshot = new InvitationsSnapshot(on);
  const open = await InvitationsSnapshot.load(on);
  return { open, save: () => snapshot.save(open), isNew: open.saved.readTo === -1 };
}

/** A snapshot of the first invitation is due. */
async function dueForOne(t: Test, installationId: string) {
  const on = await openRig(t);
  await created(on, installationId);
  await invite(on, 1);
  await project(on);
  const first = await begun(on);
  on.clock.at += SAVE_INVITATIONS_MS;
  return { on, first };
}

const numbersOf = async (on: Pick<Rig, 'readModels'>, open: Awaited<ReturnType<typeof begun>>['open']) =>
  (await openInvitations(on.readModels, open)).map(({ number }) => number);

t.test('a start goes on where the one before was, and reads no plan again', async (t) => {
  const { on, first } = await dueForOne(t, randomUUID());
  t.ok(first.isNew);
  t.strictSame(await numbersOf(on, first.open), [1]);
  await first.save();
  await invite(on, 2);
  await project(on);
  const from: (number | undefined)[] = [];
  const findByIndex: ReadModelReader['findByIndex'] = (collection, index, options) => {
    if (collection === 'invitation-plans') from.push(options.from);
    return on.readModels.findByIndex(collection, index, options);
  };
  const second = await begun(on);
  t.notOk(second.isNew);
  const readModels = withMembers(on.readModels, { findByIndex });
  t.strictSame(await numbersOf({ readModels }, second.open), [1, 2]);
  t.strictSame(from, [first.open.saved.readTo + 1]);
});

t.test('is saved once in a while, and only what the newest projected event proves', async (t) => {
  const { on, first } = await dueForOne(t, randomUUID());
  await numbersOf(on, first.open);
  await append(on, 'operation-1', refused());
  await first.save();
  t.ok((await begun(on)).isNew, 'the log has an event that is not projected');
  await project(on);
  await first.save();
  const { readTo } = first.open.saved;
  t.equal((await begun(on)).open.saved.readTo, readTo);
  await invite(on, 2);
  await project(on);
  await numbersOf(on, first.open);
  await first.save();
  t.equal((await begun(on)).open.saved.readTo, readTo, 'not yet again');
  on.clock.at += SAVE_INVITATIONS_MS;
  await first.save();
  t.ok((await begun(on)).open.saved.readTo > readTo);
});

t.test('is saved again where the clock was set back', async (t) => {
  const { on, first } = await dueForOne(t, randomUUID());
  await numbersOf(on, first.open);
  await first.save();
  const { readTo } = first.open.saved;
  await invite(on, 2);
  await project(on);
  await numbersOf(on, first.open);
  on.clock.at -= 24 * SAVE_INVITATIONS_MS;
  await first.save();
  t.ok((await begun(on)).open.saved.readTo > readTo);
});

for (const [what, isSame] of [
  ['another log', false],
  ['a log that was put back and went on otherwise', true],
] as const)
  t.test(`${what} begins anew`, async (t) => {
    const installationId = randomUUID();
    const { on, first } = await dueForOne(t, installationId);
    const other = await openRig(t);
    await numbersOf(on, first.open);
    await first.save();
    await created(other, isSame ? installationId : randomUUID());
    await invite(other, 1);
    t.notOk((await begun(on)).isNew);
    t.ok((await begun({ ...other, snapshots: on.snapshots })).isNew);
  });
