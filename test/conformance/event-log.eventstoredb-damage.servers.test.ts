import { DamageWatch, guardedLog, measuredEventLog } from '@rollcall/host';
import { LogCorrupt } from '@rollcall/application';
import tap from 'tap';
import { scavenge, startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { openLogOn } from './event-log.eventstoredb.support.js';
import { collect, newEvent, newEvents, put } from './event-log.support.js';
import { exactly } from '../support/exactly.js';

/** A loaded machine is slow. */
const PATIENT = { timeoutMs: 5_000 };

async function* none() {}

tap.test('an append that meets a past says so, and a stream with one is not taken for new', async (t) => {
  const { server, client } = await startStandIn(t);
  const log = await openLogOn(t, server, { ...PATIENT, streamPrefix: 'own-' });
  for (const stream of ['company-1', 'operation-1']) {
    await put(log, stream, 'no-stream', newEvents(3));
    await client.deleteStream(`own-${stream}`);
  }
  await t.rejects(collect(log.readStream('company-1')), LogCorrupt, 'looked at before it is begun');
  await t.rejects(log.readLast('company-1'), LogCorrupt);
  t.strictSame(await collect(log.readStream('operation-1')), []);
  await t.rejects(log.append('operation-1', 'no-stream', [newEvent()]), {
    name: 'LogCorrupt',
    message: 'the stream operation-1 has a past: what begins it stands at revision 3',
  });
});

tap.test('what was taken from the beginning of a stream is named in every read of it', async (t) => {
  const fixture = await startStandIn(t);
  const log = await openLogOn(t, fixture.server, { ...PATIENT, streamPrefix: 'own-' });
  await put(log, 'survey-1', 'no-stream', newEvents(4));
  t.equal(await log.readLast('survey-2'), undefined, 'one that never was');
  await fixture.client.setStreamMetadata('own-survey-1', { maxCount: 2 });
  const gone = {
    name: 'LogCorrupt',
    message: /^events 0 to 1 of survey-1 are gone: metadata .* \$maxCount 2; set its metadata to \{\}$/,
  };
  await t.rejects(collect(log.readStream('survey-1')), gone);
  t.equal((await collect(log.readStream('survey-1', { from: 2 }))).length, 2, 'behind them it can be read');
  await scavenge(fixture);
  await fixture.client.setStreamMetadata('own-survey-1', {});
  await t.rejects(collect(log.readStream('survey-1')), {
    message: /are gone: a scavenge took them; restore/,
  });
});

tap.test('what others did is found, each look goes on, and what we do ourselves is not', async (t) => {
  const { server, client } = await startStandIn(t);
  const log = await openLogOn(t, server, { ...PATIENT, streamPrefix: 'own-' });
  const findings = () => collect(log.findDamage?.() ?? none());
  for (const stream of ['company-1', 'company-2', 'survey-1', 'payload-1', 'data-1', 'operation-1'])
    await put(log, stream, 'no-stream', newEvents(2));
  await log.deleteStream('payload-1');
  await client.setStreamMetadata('company-1', { maxCount: 1 });
  await client.setStreamMetadata('own-data-1', { maxCount: 1 });
  t.strictSame(await findings(), []);
  const acl = { $acl: { $r: 'somebody' }, custom: 'x' };
  await client.setStreamMetadata('own-company-1', acl as never);
  await client.setStreamMetadata('own-company-2', { maxCount: 5 });
  await client.setStreamMetadata('own-operation-1', { maxCount: 1 });
  await client.tombstoneStream('own-survey-1');
  const problem = 'the stream survey-1 was deleted for good; restore the log from a backup';
  const deleted = { stream: 'survey-1', problem, kind: 'damage' };
  t.strictSame(await findings(), [
    deleted,
    {
      stream: 'company-1',
      problem: 'metadata of the stream says $acl {"$r":"somebody"}, custom "x"',
      kind: 'notice',
    },
    {
      stream: 'company-2',
      problem: 'metadata of the stream says $maxCount 5, which hides nothing yet; set its metadata to {}',
      kind: 'limit',
    },
    {
      stream: 'operation-1',
      problem:
        'events 0 to 0 of operation-1 are gone: metadata of the stream says $maxCount 1; set its metadata to {}',
      kind: 'damage',
    },
  ]);
  await client.deleteStream('own-company-2');
  for (const stream of ['own-company-1', 'own-operation-1']) await client.setStreamMetadata(stream, {});
  t.match(
    await findings(),
    exactly([
      deleted,
      {
        stream: 'company-2',
        problem: /^the stream company-2 was deleted softly; .* and again/,
        kind: 'damage',
      },
    ]),
  );
  await client.setStreamMetadata('own-company-2', {});
  t.match(
    await findings(),
    exactly([deleted, { problem: /says \$tb 2; set its metadata to \{\}$/, kind: 'damage' }]),
  );
  await client.setStreamMetadata('own-company-2', {});
  t.strictSame(await findings(), [deleted], 'what is taken back is whole again');
});

tap.test('a stream that the service never deletes is damaged by a tombstone', async (t) => {
  const { server, client } = await startStandIn(t);
  const log = await openLogOn(t, server, { ...PATIENT, streamPrefix: 'own-' });
  for (const stream of ['company-1', 'key-1', 'operation-1']) {
    await put(log, stream, 'no-stream', newEvents(3));
    await client.tombstoneStream(`own-${stream}`);
    const problem = {
      name: 'LogCorrupt',
      message: new RegExp(`^the stream ${stream} was deleted for good; restore`),
    };
    await t.rejects(collect(log.readStream(stream)), problem);
    await t.rejects(log.append(stream, 2, [newEvent()]), problem);
  }
});

tap.test('what was found to be deleted softly is not begun anew, of whatever family', async (t) => {
  const { server, client } = await startStandIn(t);
  const bare = await openLogOn(t, server, { ...PATIENT, streamPrefix: 'own-' });
  const watch = new DamageWatch(bare, { every: () => () => undefined });
  const log = guardedLog(
    measuredEventLog(bare, () => undefined),
    watch,
  );
  for (const stream of ['operation-1', 'key-1', 'invitation-1-1']) {
    await put(log, stream, 'no-stream', newEvents(3));
    await client.deleteStream(`own-${stream}`);
    await watch.look();
    const gone = { name: 'LogCorrupt', message: new RegExp(`^the stream ${stream} was deleted softly; `) };
    await t.rejects(log.append(stream, 'no-stream', [newEvent()]), gone);
    const { metadata } = await client.getStreamMetadata(`own-${stream}`);
    t.equal(metadata?.truncateBefore, 9223372036854776000, 'nothing was appended');
    for (const time of ['first', 'second']) {
      await t.rejects(log.readLast(stream), LogCorrupt, `before the ${time} {}`);
      await client.setStreamMetadata(`own-${stream}`, {});
      await watch.look();
    }
    t.match(await log.append(stream, 2, [newEvent()]), { outcome: 'appended', revision: 3 }, 'taken back');
  }
});
