import { type EventLog, verifyLog } from '@rollcall/application';

import t from 'tap';
import { exactly } from '../support/exactly.js';
import { id, operationId, payload, write } from './import-calls.support.js';
import { cancelled, failed, queued } from './import-events.support.js';
import { openRig } from './projector.support.js';
import { bent, isAt, tampered } from './tampered.support.js';

t.test('the payload of a queued import is there and right, until the import has ended', async (t) => {
  const on = await openRig(t);
  const reference = await payload(on, operationId, ['a', 'b', 'c']);
  await write(on, [queued(operationId, { payload: reference })]);
  t.strictSame(await verifyLog(on.log), { kind: 'whole', streams: 2, events: 1, chunks: 3, notices: [] });
  const { stream } = reference;
  const refers = { stream: 'company-7', revision: 0, problem: new RegExp(stream) };
  const broken = { kind: 'broken', broken: exactly([refers]) };
  const without = (revision: number): EventLog =>
    tampered(on.log, (event) => (isAt(event, stream, revision) ? undefined : event));
  t.match(await verifyLog(without(2)), broken, 'the last piece is missing');
  t.match(
    await verifyLog(without(0)),
    { kind: 'broken', broken: exactly([{ stream, revision: 1 }, refers]) },
    'the first is',
  );
  const bentPiece = tampered(on.log, (event) =>
    isAt(event, stream, 1) ? { ...event, data: bent(event.data) } : event,
  );
  t.match(await verifyLog(bentPiece), {
    kind: 'broken',
    broken: exactly([{ stream, revision: 1, problem: /chain/ }, refers]),
  });

  await write(on, [queued(id(2), { payload: await payload(on, id(2)) })]);
  await on.log.deleteStream(stream);
  t.match(await verifyLog(on.log), broken, 'it is gone');
  await write(on, [cancelled(operationId)]);
  t.strictSame(await verifyLog(on.log), { kind: 'whole', streams: 2, events: 3, chunks: 2, notices: [] });
  await write(on, [failed(id(2))]);
  t.match(await verifyLog(on.log), { kind: 'whole' });
});

t.test('a payload that is another one is wrong in what it differs, also behind the end', async (t) => {
  for (const change of [{ count: 1 }, { count: 3 }, { bytes: 3 }, { sha256: 'ab'.repeat(32) }]) {
    const on = await openRig(t);
    const right = await payload(on, operationId);
    await write(on, [
      queued(operationId, { payload: { ...right, ...change } }),
      queued(id(2), { payload: right }),
    ]);
    const broken = {
      kind: 'broken',
      broken: exactly([{ stream: 'company-7', revision: 0, problem: /payload-/ }]),
    };
    t.match(await verifyLog(on.log), broken, JSON.stringify(change));
    await write(on, [failed(operationId)]);
    t.match(await verifyLog(on.log), broken, JSON.stringify(change));
  }
});
