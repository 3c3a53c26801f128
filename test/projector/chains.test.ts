import type { EventLog, RecordedEvent } from '@rollcall/application';
import { projections, retryStreams } from '@rollcall/projector';

import t from 'tap';
import { withLive } from '../support/writable.js';
import {
  append,
  openRig,
  document,
  employee,
  employeeSet,
  largeRefusal,
  projectAll,
  survey,
  whileProjecting,
  type Rig,
} from './projector.support.js';
import { isAt, tampered } from './tampered.support.js';
import { exactly } from '../support/exactly.js';

/** Another text of the same length in the data, or in the metadata: both stay well-formed. */
function replaced(event: RecordedEvent, from: string, to: string): RecordedEvent {
  const change = (bytes: Uint8Array): Uint8Array =>
    Buffer.from(Buffer.from(bytes).toString('utf8').replace(from, to));
  return { ...event, data: change(event.data), metadata: change(event.metadata) };
}

const employees = (number: number) =>
  employeeSet({ added: [{ number, id: `a${number}` }], total: number, lastNumber: number });

const tamperedAt = (on: Rig, stream: string, revision: number): EventLog =>
  tampered(on.log, (event) =>
    isAt(event, stream, revision)
      ? replaced(replaced(event, '"EmploymentStatus":0', '"EmploymentStatus":1'), 'HR system', 'HR_system')
      : event,
  );

for (const revision of [0, 1, 2]) {
  t.test(`a flipped bit in event ${revision} parks its stream, and no other`, async (t) => {
    const on = await openRig(t);
    await append(on, 'company-7', [1, 2, 3].map(employees));
    await append(on, 'survey-1', survey(1, 'good'));
    await projectAll({ ...on, log: tamperedAt(on, 'company-7', revision), projections });
    t.strictSame(await on.readModels.parkedStreams(), [
      { stream: 'company-7', revision, problem: `The chain of company-7 is broken at revision ${revision}` },
    ]);
    for (const [at, number] of [1, 2, 3].entries()) {
      const shown = await employee(on.readModels, 7, number);
      if (at < revision) t.match(shown, { EmploymentStatus: 0 });
      else t.equal(shown, undefined, 'nothing of it, nor of what stands behind it');
    }
    t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'good' });
    t.equal(await retryStreams({ ...on, projections }, 'company-7'), 'whole', 'once the log is mended');
    t.match(await employee(on.readModels, 7, 3), { EmploymentStatus: 0 });
  });
}

t.test('so does one that another projector comes upon later', async (t) => {
  const on = await openRig(t);
  await append(on, 'company-7', [1, 2].map(employees));
  await projectAll({ ...on, projections });
  await append(on, 'company-7', employees(3));
  await projectAll({ ...on, log: tamperedAt(on, 'company-7', 2), projections });
  t.match(
    await on.readModels.parkedStreams(),
    exactly([{ stream: 'company-7', revision: 2, problem: /chain/ }]),
  );
});

t.test('so does a large event', async (t) => {
  const on = await openRig(t);
  await append(on, 'operation-1', largeRefusal());
  const log = tampered(on.log, (event) =>
    event.stream.startsWith('operation-') ? replaced(event, 'HR system', 'HR_system') : event,
  );
  await whileProjecting({ ...on, log, projections }, async () => {
    const begun = await append(on, 'survey-1', survey(1, 'good'));
    t.equal(await on.readModels.reachedPosition(begun, 20_000), true);
    const last = await append(on, 'operation-2', largeRefusal());
    t.equal(await on.readModels.reachedPosition(last, 20_000), true);
  });
  const parked = (await on.readModels.parkedStreams()).toSorted((a, b) => (a.stream < b.stream ? -1 : 1));
  t.match(
    parked,
    exactly([
      { stream: 'operation-1', revision: 0, problem: /chain/ },
      { stream: 'operation-2', revision: 0, problem: /chain/ },
    ]),
  );
});

t.test('an event that does not come parks the stream of the one behind it', async (t) => {
  const on = await openRig(t);
  await append(on, 'company-7', [1, 2, 3].map(employees));
  const log = tampered(on.log, (event) => (isAt(event, 'company-7', 1) ? undefined : event));
  await projectAll({ ...on, log, projections });
  const problem = 'The event at revision 1 of company-7 is missing';
  t.match(await on.readModels.parkedStreams(), exactly([{ stream: 'company-7', revision: 2, problem }]));
});

t.test('a stream that goes on from another past than the projected one is not shown', async (t) => {
  const [on, other] = [await openRig(t), await openRig(t)];
  await append(on, 'company-7', employees(1));
  for await (const { id, type, contentType, data, metadata } of on.log.readStream('company-7'))
    await other.log.append('company-7', 'no-stream', [{ id, type, contentType, data, metadata }]);
  await append(on, 'company-7', employees(2));
  await append(on, 'survey-1', survey(1, 'the last that was projected'));
  await projectAll({ ...on, projections });
  await append(on, 'company-7', employees(3));
  await append(other, 'company-7', [employeeSet({ left: [1], total: 0, lastNumber: 2 }), employees(3)]);
  const past = new Map<number, RecordedEvent>();
  for await (const event of other.log.readStream('company-7')) past.set(event.revision, event);
  const log = tampered(on.log, (event) => {
    const changed = event.stream === 'company-7' ? past.get(event.revision) : undefined;
    return changed ? { ...changed, position: event.position } : event;
  });
  await projectAll({ ...on, log, projections });
  t.match(
    await on.readModels.parkedStreams(),
    exactly([{ stream: 'company-7', revision: 2, problem: /chain/ }]),
  );
});

t.test('a first read after a start asks the store once for many streams', async (t) => {
  const on = await openRig(t);
  const streams = Array.from({ length: 600 }, (_, n) => `survey-${n + 1}`);
  for (const [n, stream] of streams.entries()) await append(on, stream, survey(n + 1, 'first'));
  await projectAll({ ...on, projections });
  for (const [n, stream] of streams.entries()) await append(on, stream, survey(n + 1, 'second'));
  const asked: number[] = [];
  const readModels = withLive(on.readModels, (live) => ({
    newest: (collection, keys) => {
      if (collection === 'streams') asked.push(keys.length);
      return live.newest(collection, keys);
    },
  }));
  await projectAll({ ...on, readModels, projections });
  t.strictSame(asked, [600]);
  t.strictSame(await on.readModels.parkedStreams(), []);
});
