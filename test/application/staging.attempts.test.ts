import {
  CHUNK_BYTES,
  decideAndAppend,
  foldStream,
  loadEvent,
  type EventLog,
  type JsonSource,
} from '@rollcall/application';
import type { CallContext } from '@rollcall/contracts';
import { createHash } from 'node:crypto';
import t from 'tap';
import { callContext, clockAt, scriptedLog } from './decide-and-append.support.js';
import {
  clock,
  dyingWrite,
  employeeSet,
  json,
  large,
  last,
  nameOf,
  recordedOf,
  sourceOf,
  STREAM,
  streams,
  textOf,
  verifyPieces,
  write,
} from './staging.support.js';

t.test('what stands under the name of the pieces is left alone, and they get the next one', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  const foreign = {
    id: context.operationId,
    type: 'X',
    contentType: 'json' as const,
    data: json(1),
    metadata: storedMetadataOf(context),
  };
  await log.append(nameOf(context, 1), 'no-stream', [foreign]);
  const event = await write(log, sourceOf(large, 100_000), context);
  t.ok((await textOf(event)).equals(large));
  t.strictSame(await streams(log), [nameOf(context, 1), nameOf(context, 2)]);
  t.equal((await recordedOf(log, nameOf(context, 1))).length, 1);
});

const storedMetadataOf = (context: CallContext): Buffer =>
  json({ ...context, recordedAt: '2026-11-21T08:00:00.000Z', chain: '0'.repeat(64) });

t.test('pieces that the sweeper may take soon are not met again', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  for (const day of [21, 22, 23, 24]) await dyingWrite(log, context, 2, clockAt(`2026-11-${day}T09:00:00Z`));
  const event = await write(log, sourceOf(large, 100_000), context, clockAt('2026-11-25T09:00:00Z'));
  t.ok((await textOf(event)).equals(large));
  t.strictSame(
    await streams(log),
    [1, 2, 3, 4, 5].map((attempt) => nameOf(context, attempt)),
  );
});

t.test('deleted pieces are written again under another name, and read back', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  await dyingWrite(log, context, 2);
  t.strictSame(await streams(log), [nameOf(context, 1)]);
  await log.deleteStream(nameOf(context, 1));
  const event = await write(log, sourceOf(large, 100_000), context);
  t.ok((await textOf(event)).equals(large));
  t.strictSame(await streams(log), [nameOf(context, 2)]);
});

t.test('what an older version has written under a name with the hash is read', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  await write(log, sourceOf(large, 100_000), context);
  const sha256 = createHash('sha256').update(large).digest('hex');
  const named = { stream: `data-${context.operationId}-${sha256.slice(0, 16)}`, bytes: large.length, sha256 };
  const [first, ...rest] = await recordedOf(log, nameOf(context, 1));
  if (first === undefined) throw new Error('no piece');
  await log.append(named.stream, 'no-stream', [first]);
  for (const piece of rest) await log.append(named.stream, piece.revision - 1, [piece]);
  await log.deleteStream(nameOf(context, 1));
  const [own] = await recordedOf(log, STREAM);
  if (own === undefined) throw new Error('no event');
  const data = json({ staged: { stream: named.stream, count: rest.length + 1, bytes: named.bytes, sha256 } });
  t.ok((await textOf(loadEvent(log, { ...own, data }))).equals(large));
});

t.test('deciding again with the same content does not write the pieces again', async (t) => {
  const log = await scriptedLog(t);
  const source = sourceOf(large, 100_000);
  log.script = Array.from({ length: PIECES }, () => 'through' as const);
  log.script.push(() => write(log, sourceOf(json(employeeSet(2)), 100)));
  t.equal(await decisions(log, callContext(), [source, source]), 2);
  t.equal(log.appends.filter((append) => append.stream.startsWith('data-')).length, PIECES);
});

t.test('deciding again with another content writes it beside, and leaves the other one', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  const other = json(employeeSet(7000));
  log.script = Array.from({ length: PIECES }, () => 'through' as const);
  log.script.push(() => write(log, sourceOf(json(employeeSet(2)), 100)));
  t.equal(await decisions(log, context, [sourceOf(large, 100_000), sourceOf(other, 100_000)]), 2);
  const { state } = await foldStream(log, STREAM, last);
  t.ok(state !== undefined && (await textOf(state)).equals(other));
  t.strictSame(await streams(log), [nameOf(context, 1), nameOf(context, 2)]);
  await verifyPieces(log);
});

const PIECES = Math.ceil(large.length / CHUNK_BYTES);

/** Each decision comes to the next source; how many there were. */
async function decisions(
  log: EventLog,
  context: CallContext,
  sources: readonly JsonSource[],
): Promise<number> {
  let made = 0;
  const decide = () => {
    const source = sources[made++] ?? sourceOf(large, 1);
    return { kind: 'events' as const, events: [{ name: 'EmployeeSetReplaced' as const, source }] };
  };
  await decideAndAppend({ log, clock }, { stream: STREAM, context, fold: last, decide });
  return made;
}
