import { loadEvent, LogCorrupt, type EventLog, type RecordedEvent } from '@rollcall/application';
import t from 'tap';
import { scriptedLog } from './decide-and-append.support.js';
import { employeeSet, json, large, recordedOf, sourceOf, STREAM, textOf, write } from './staging.support.js';

t.test('damage is found before the last piece is handed out', async (t) => {
  const log = await scriptedLog(t);
  const event = await write(log, sourceOf(large, 100_000));
  const [own] = await recordedOf(log, STREAM);
  if (own === undefined) throw new Error('no event');
  const damages: Record<string, (pieces: RecordedEvent[]) => RecordedEvent[]> = {
    'a changed byte': ([first, ...rest]) => [changed(first), ...rest],
    'a missing piece': (pieces) => pieces.slice(0, -1),
    'no piece': () => [],
    'one piece too many': (pieces) => [...pieces, ...pieces.slice(0, 1)],
    'another order': (pieces) => pieces.toReversed(),
    'a foreign event': (pieces) => pieces.map((piece) => ({ ...piece, type: 'Foreign' })),
    'text instead of bytes': (pieces) => pieces.map((piece) => ({ ...piece, contentType: 'json' as const })),
  };
  for (const [name, damage] of Object.entries(damages)) {
    const damaged: EventLog = { ...log, readStream: (stream) => over(log, stream, damage) };
    const chunks: Uint8Array[] = [];
    const reading = async () => {
      for await (const chunk of loadEvent(damaged, own).chunks()) chunks.push(Buffer.from(chunk));
    };
    await t.rejects(reading(), LogCorrupt, name);
    t.ok(Buffer.concat(chunks).length < large.length, `${name}: nobody got the whole`);
    await t.rejects(loadEvent(damaged, own).json(), LogCorrupt, name);
  }
  t.ok((await textOf(event)).equals(large));
});

async function* over(log: EventLog, stream: string, damage: (pieces: RecordedEvent[]) => RecordedEvent[]) {
  yield* damage(await recordedOf(log, stream));
}

t.test('the chunks that were read hold no memory any more', async (t) => {
  const log = await scriptedLog(t);
  const event = await write(log, sourceOf(large, 100_000));
  const before: Uint8Array[] = [];
  for await (const chunk of event.chunks()) {
    t.ok(before.every(({ buffer }) => buffer.byteLength === 0));
    before.push(chunk);
  }
  t.ok(before.length > 2);
  t.equal(before.at(-1)?.buffer.byteLength, 0, 'the last one is given back with the end');
  t.ok((await textOf(event)).equals(large), 'the log gives them again');
});

function changed(piece: RecordedEvent | undefined): RecordedEvent {
  if (piece === undefined) throw new Error('no piece');
  const data = Buffer.from(piece.data);
  data[1000] = (data[1000] ?? 0) ^ 1;
  return { ...piece, data };
}

t.test(
  'an event that is not in the catalogue, or misshapen, is corruption that names its place only',
  async (t) => {
    const log = await scriptedLog(t);
    await write(log, sourceOf(json(employeeSet(1)), 100));
    const [own] = await recordedOf(log, STREAM);
    if (own === undefined) throw new Error('no event');
    const place = /^The event at revision 0 of company-7 /;
    for (const type of ['Unknown', 'EmployeeSetReplaced.v3', 'EmployeeSetReplaced.v1', 'toString', '']) {
      t.throws(() => loadEvent(log, { ...own, type }), { name: 'LogCorrupt', message: place }, type);
    }
    t.throws(() => loadEvent(log, { ...own, contentType: 'binary' }), LogCorrupt);
    for (const metadata of ['{}', 'null', 'no JSON', '{"companyId":7}']) {
      t.throws(() => loadEvent(log, { ...own, metadata: Buffer.from(metadata) }), {
        name: 'LogCorrupt',
        message: place,
      });
    }
    for (const data of ['{"secret":"value"}', 'no JSON: secret', '']) {
      const problem: unknown = await loadEvent(log, { ...own, data: Buffer.from(data) })
        .json()
        .catch((error: unknown) => error);
      t.ok(
        problem instanceof LogCorrupt && place.test(problem.message) && !problem.message.includes('secret'),
        data,
      );
    }
  },
);
