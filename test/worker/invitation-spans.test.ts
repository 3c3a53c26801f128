import type { Tracing } from '@rollcall/host';
import {
  invitationCollections,
  type DocumentWrite,
  type InvitationEnd,
  type PlansDocument,
} from '@rollcall/application';
import { recordInvitation } from '@rollcall/worker';
import tap from 'tap';
import { openRig } from '../support/rig.js';

const planned = (companyId: number, first: number, last: number, operationId: string): DocumentWrite => {
  const plans: PlansDocument = { operationId, first, ranges: [[first, last - first + 1, 1_000]] };
  return {
    op: 'put',
    collection: invitationCollections.plans,
    key: [companyId, last],
    revision: 0,
    value: Buffer.from(JSON.stringify(plans)),
  };
};

tap.test('a mail stands in the trace of the import that planned it', async (t) => {
  const { readModels } = await openRig(t);
  const writes = [
    planned(7, 1, 3, 'first'),
    planned(7, 5, 9, 'second'),
    planned(8, 1, 99, 'of another company'),
  ];
  await readModels.write([writes]);
  const recorded: (string | undefined)[] = [];
  const tracing: Tracing = {
    isOn: true,
    record: ({ operationId }) => void recorded.push(operationId),
    close: () => Promise.resolve(),
  };
  const look = async (number: number, kind: Exclude<InvitationEnd['kind'], 'paced'> = 'sent') => {
    await recordInvitation({ tracing, readModels }, { companyId: 7, number }, { end: { kind }, start: 0 });
    return recorded.splice(0);
  };
  for (const number of [1, 2, 3]) t.same(await look(number), ['first']);
  for (const number of [5, 9]) t.same(await look(number), ['second']);
  t.same(await look(4), [undefined], 'one who was not invited by an import, but by a person');
  t.same(await look(10), [undefined]);
  t.same(await look(1, 'nothing'), [], 'nothing was tried');
  const away = {
    find: () => {
      throw new Error('away');
    },
  };
  await recordInvitation(
    { tracing, readModels: away },
    { companyId: 7, number: 1 },
    { end: { kind: 'sent' }, start: 0 },
  );
  t.same(recorded, [undefined], 'read models that are away harm no mail');
});
