import { generateKeyPairSync } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { CallKeeper, projections } from '@rollcall/projector';
import { logAnchoredExample, personalDataReadExample } from '@rollcall/contracts';
import {
  AnchorCheck,
  createInstallation,
  lostEvents,
  makeAnchor,
  type Anchor,
  ReadModelsUnavailable,
  EventLogUnavailable,
  type EventLog,
} from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import {
  append,
  configured,
  context,
  largeRefusal,
  openRig,
  projectAll,
  refused,
  survey,
  whileProjecting,
  type Rig,
} from '../projector/projector.support.js';
import { operationIdAt } from '../support/operation-id.js';
import { scoped } from '../support/rig.js';
import { withMembers } from '../support/with-members.js';
import { setAside } from '../support/set-aside.js';
import { exactly } from '../support/exactly.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = new Map([['one', publicKey.export({ type: 'spki', format: 'pem' }).toString()]]);
const key = () => Promise.resolve({ kid: 'one', pem });

async function begin(on: Rig): Promise<void> {
  const created = { installationId: '0f8b1e6c-3d52-4a8e-9c41-7b6d2a90e5f3', keyCheck: 'ab'.repeat(32) };
  await createInstallation(on, context({ companyId: null }), created);
}

async function made(on: Rig, from: 'log' | 'read-models'): Promise<Anchor> {
  const { log, clock, readModels } = on;
  const anchor = await makeAnchor({ log, clock, key, readModels: from === 'log' ? undefined : readModels });
  if (anchor === undefined) throw new Error('the log has events');
  return anchor;
}

/** As a verification does. */
async function problems(on: Rig, ...anchors: Anchor[]): Promise<readonly string[]> {
  const outside = anchors.map((anchor, at) => ({ anchor, source: String(at) }));
  const check = await AnchorCheck.open(on.log, { keys, outside });
  for await (const item of on.log.subscribeToAll({
    after: undefined,
    signal: new AbortController().signal,
  })) {
    if (item.kind === 'caught-up') break;
    check.take(item.event);
  }
  return check.end().problems;
}

type Step = (on: Rig, anchors: Anchor[]) => Promise<unknown>;

const anchored: Step = async (on, anchors) =>
  anchors.push(await made(on, 'log'), await made(on, 'read-models'));

const steps = fc.oneof(
  fc.integer({ min: 1, max: 12 }).map(
    (number): Step =>
      (on) =>
        append(on, `survey-${number}`, survey(number, 'Next')),
  ),
  fc.constantFrom<Step[]>(
    (on) => append(on, 'operation-1', largeRefusal()),
    (on) => append(on, 'reads-7-20261121', { name: 'PersonalDataRead', data: personalDataReadExample }),
    (on) => projectAll({ ...on, projections }),
    (on) => parkNext(on),
    (on) => keptCalls(on),
    anchored,
  ),
);

/** A refused call, and a look after its term. */
async function keptCalls(on: Rig): Promise<void> {
  const operationId = operationIdAt(on.clock.at);
  await append(on, 'company-7', configured(7, 'A company'));
  await append(on, `operation-${operationId}`, refused(), { operationId });
  await projectAll({ ...on, projections });
  on.clock.at += 31 * 24 * 3_600_000;
  const later = operationIdAt(on.clock.at);
  await append(on, `operation-${later}`, refused(), { operationId: later });
  await projectAll({ ...on, projections });
  const options = { ...on, signal: new AbortController().signal, term: 400 * 24 * 3_600_000 };
  if ((await new CallKeeper(options).look()) === 0) throw new Error('the call has a row');
}

t.test(
  'property: anchors of the log and of the read models fit, whatever is written or parked meanwhile',
  async () => {
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 25 }), (chosen) =>
      scoped(async (scope) => {
        const on = await openRig(scope);
        await begin(on);
        await projectAll({ ...on, projections });
        const anchors: Anchor[] = [];
        for (const step of [...chosen, anchored]) await step(on, anchors);
        const found = await problems(on, ...anchors);
        if (found.length > 0) throw new Error(found.join('\n'));
      }),
    );
    await fc.assert(property, { numRuns: 25 });
  },
);

/** The projector skips the next event of a survey, as where it cannot apply it. */
async function parkNext(on: Rig): Promise<void> {
  const parked = await on.readModels.parkedStreams();
  if (parked.length > 0) return;
  const last = await on.log.readLast('survey-2');
  await setAside(on.readModels, {
    stream: 'survey-2',
    revision: (last?.revision ?? -1) + 1,
    problem: 'its shape',
  });
}

t.test('an anchor fits that was made while events were written and projected', async (t) => {
  const on = await openRig(t);
  await begin(on);
  await append(on, 'company-7', configured(7, 'Example A/S'));
  await projectAll({ ...on, projections });
  const anchors: Anchor[] = [];
  await whileProjecting({ ...on, projections }, async () => {
    let done = false;
    let written = 0;
    const writing = (async () => {
      for (; !done; written += 1) {
        const number = (written % 40) + 1;
        await append(on, `survey-${number}`, survey(number, 'Next'));
      }
    })();
    for (let round = 0; round < 10; round += 1) {
      for (const before = written; written === before;) await setImmediate();
      anchors.push(await made(on, 'log'), await made(on, 'read-models'));
    }
    done = true;
    await writing;
  });
  t.strictSame(await problems(on, ...anchors), []);
  t.ok(new Set(anchors.map(({ events }) => events)).size > 3, 'they were made at different moments');
});

t.test('an anchor of the log reads the last event of each stream, and no other', async (t) => {
  const on = await openRig(t);
  await begin(on);
  for (const name of ['One', 'Two', 'Three']) await append(on, 'survey-1', survey(1, name));
  const read: string[] = [];
  const readStream: EventLog['readStream'] = (stream, options) => {
    read.push(stream);
    return on.log.readStream(stream, options);
  };
  const anchor = await makeAnchor({
    ...on,
    key,
    readModels: undefined,
    log: withMembers(on.log, { readStream }),
  });
  t.match(anchor, { events: 4, streams: 2 });
  t.strictSame(read, ['installation'], 'for the id of the installation');
});

t.test('of anchors over too many streams to compare all, the newest is compared', async (t) => {
  const on = await openRig(t);
  for (const time of ['2026-11-21T09:00:00.000Z', '2026-11-21T10:00:00.000Z'])
    await append(on, 'anchors', {
      name: 'LogAnchored',
      data: { ...logAnchoredExample, time, streams: 6_000_000 },
    });
  const [problem, ...more] = await problems(on);
  t.match(problem, /^The anchor of 2026-11-21T10:00:00.000Z \(anchors@1\) does not fit/);
  t.notMatch(problem, /nor do/);
  t.strictSame(more, []);
});

t.test('heads of read models that were changed give another root', async (t) => {
  const on = await openRig(t);
  await begin(on);
  await append(on, 'survey-1', survey(1, 'One'));
  await projectAll({ ...on, projections });
  const value = Buffer.from(JSON.stringify({ revision: 0, chain: 'ab'.repeat(32) }));
  await on.readModels.write([[{ op: 'put', collection: 'streams', key: ['survey-1'], revision: 9, value }]]);
  t.match(
    await problems(on, await made(on, 'read-models')),
    exactly([/does not fit: events since the beginning/]),
  );
});

t.test('a snapshot of the heads is not held while the log is read', async (t) => {
  const on = await openRig(t);
  await begin(on);
  for (const number of [1, 2, 3]) await append(on, `survey-${number}`, survey(number, 'One'));
  await projectAll({ ...on, projections });
  let calls = 0;
  const readStream: EventLog['readStream'] = (...given) => {
    calls += 1;
    return on.log.readStream(...given);
  };
  const subscribeToAll: EventLog['subscribeToAll'] = (...given) => {
    calls += 1;
    return on.log.subscribeToAll(...given);
  };
  const log = withMembers(on.log, { readStream, subscribeToAll });
  const live = await on.readModels.liveGeneration();
  const findBatches = live.findBatches.bind(live);
  live.findBatches = async function* (collection, options) {
    const before = calls;
    for await (const batch of findBatches(collection, options))
      for (const document of batch) {
        if (calls > before) throw new ReadModelsUnavailable('the snapshot is too old');
        yield [document];
      }
  };
  const readModels = { liveGeneration: () => Promise.resolve(live) };
  const anchor = await makeAnchor({ log, clock: on.clock, key, readModels });
  t.equal(anchor?.streams, 4);
  t.strictSame(await lostEvents(log, readModels), []);

  await on.log.deleteStream('survey-1');
  const readLast = () => Promise.reject(new EventLogUnavailable('the server is away'));
  t.strictSame(await lostEvents(withMembers(on.log, { readLast }), readModels), [
    'whether other streams lack events could not be seen: the server is away',
  ]);
});
