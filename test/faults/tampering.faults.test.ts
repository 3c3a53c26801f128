import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedEventLog } from '@rollcall/adapters';
import type { Anchor } from '@rollcall/application';
import { projections, verifyReadModels } from '@rollcall/projector';
import t from 'tap';
import { openRig, projectAll, survey, append, type Rig } from '../projector/projector.support.js';
import { scoped } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import { withoutPython } from '../support/verifier.js';
import { anchorNow, verdictOf, writeExport, writeHistory, type Verdict } from './anchored-log.js';
import { TamperedStore, type StoredEvent } from './tampered-store.js';
import { comparable, isFound, one, random, theirVerdicts } from './verdicts.js';

t.setTimeout(3_600_000);

const count = Math.ceil(1_000 * scale);
const exportsAtOnce = 20;

const placeOf = ({ stream, revision }: StoredEvent): string => `${stream}@${revision}`;

/** Changes the store; where the damage is to be found, or `anchor` where only an anchor shows it. */
type Tampering = (store: TamperedStore, events: readonly StoredEvent[]) => string;

const texts = (events: readonly StoredEvent[]) => events.filter(({ isChunk }) => !isChunk);
const next = (events: readonly StoredEvent[], { stream, revision }: StoredEvent) =>
  events.find((each) => each.stream === stream && each.revision === revision + 1);

const followed = (events: readonly StoredEvent[]): [StoredEvent, StoredEvent] => {
  for (;;) {
    const first = one(texts(events));
    const second = next(events, first);
    if (second !== undefined) return [first, second];
  }
};

const at = (event: StoredEvent, change: (event: StoredEvent) => void): string => {
  change(event);
  return placeOf(event);
};

const tamperings: Readonly<Record<string, Tampering>> = {
  'a byte of a value': (store, events) =>
    at(one(texts(events)), (event) => store.bendData(event, random(9_999))),
  'a byte of metadata': (store, events) =>
    at(one(events), (event) => store.bendMetadata(event, random(9_999))),
  'a byte of a chunk': (store, events) =>
    at(one(events.filter(({ isChunk }) => isChunk)), (event) => store.bendChunk(event, random(9_999_999))),
  'a removed event': (store, events) => {
    const [first, second] = followed(events);
    store.remove(first);
    return placeOf(second);
  },
  "a removed event at a stream's end": (store, events) => {
    store.remove(one(texts(events).filter((event) => next(events, event) === undefined)));
    return 'anchor';
  },
  'swapped events': (store, events) => {
    const [first, second] = followed(events);
    store.swap(first, second);
    return placeOf(second);
  },
  'a repeated event': (store, events) => at(one(texts(events)), (event) => store.repeat(event)),
  'another date': (store, events) => at(one(events), (event) => store.redate(event)),
  'a cut tail': (store, events) => {
    store.cutTail(events.slice(-1 - random(30)));
    return 'anchor';
  },
  'a removed stream': (store, events) => {
    const { stream } = one(texts(events));
    for (const event of events.filter((each) => each.stream === stream).reverse()) store.remove(event);
    return 'anchor';
  },
};

interface Tried {
  readonly name: string;
  readonly folder: string;
  readonly verdict: Verdict;
}

async function tamper(on: Rig, anchor: Anchor, number: number): Promise<Tried> {
  const name = Object.keys(tamperings)[number % Object.keys(tamperings).length] ?? '';
  const folder = join(on.folder, `tampered-${number}`);
  const store = await TamperedStore.copyOf(join(on.folder, 'event-log'), join(folder, 'log'));
  const where = tamperings[name]?.(store, store.events()) ?? '';
  await store.close();
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log'), sync: false });
  try {
    const verdict = await verdictOf(log, anchor);
    t.ok(
      isFound(verdict, where),
      `${name}: ${where} is among ${JSON.stringify(verdict)} (TEST_SEED=${seed})`,
    );
    await writeExport(log, folder, anchor);
    return { name, folder, verdict };
  } finally {
    await log.close();
    await rm(join(folder, 'log'), { recursive: true });
  }
}

t.test(
  `${count} tamperings with a log are found where they are, by the stand-alone verifier too`,
  async (t) => {
    const on = await openRig(t);
    await writeHistory(on, Math.max(400, Math.round(4_900 * scale)));
    const anchor = await anchorNow(on);
    t.strictSame(await verdictOf(on.log, anchor), { damaged: [], anchors: true });
    const withPython = withoutPython() === false;
    for (let from = 0; from < count; from += exportsAtOnce) {
      const tried: Tried[] = [];
      for (let number = from; number < Math.min(count, from + exportsAtOnce); number += 1)
        tried.push(await tamper(on, anchor, number));
      const theirs = withPython ? await theirVerdicts(tried.map(({ folder }) => folder)) : [];
      for (const [index, verdict] of theirs.entries()) {
        const ours = tried[index];
        t.strictSame(
          comparable(verdict),
          ours && comparable(ours.verdict),
          `${ours?.name}: both say the same`,
        );
      }
      for (const { folder } of tried) await rm(folder, { recursive: true });
    }
  },
);

t.test(`${count} untouched logs give no alarm`, async (t) => {
  const withPython = withoutPython() === false;
  for (let number = 0; number < count; number += 1)
    await scoped(async (scope) => {
      const on = await openRig(scope);
      await writeHistory(on, 1 + random(number % 50 === 0 ? 400 : 12));
      const anchor = await anchorNow(on);
      for (let more = random(4); more > 0; more -= 1) await append(on, 'survey-1', survey(1, 'Later'));
      const whole: Verdict = { damaged: [], anchors: true };
      t.strictSame(await verdictOf(on.log, anchor), whole);
      if (!withPython || number % exportsAtOnce !== 0) return;
      await mkdir(join(on.folder, 'export'));
      await writeExport(on.log, join(on.folder, 'export'), anchor);
      t.strictSame((await theirVerdicts([join(on.folder, 'export')])).map(comparable), [whole]);
    });
});

t.test('documents that were changed, removed or added are named', async (t) => {
  const on = await openRig(t);
  await writeHistory(on, 100);
  await projectAll({ ...on, projections });
  const live = await on.readModels.liveGeneration();
  let revision = 10_000;
  for (let number = 0; number < Math.ceil(count / 20); number += 1) {
    const collection = one(['surveys', 'streams']);
    const keys = [];
    for await (const document of live.find(collection, { prefix: [] })) keys.push(document.key);
    const key = number % 3 === 2 ? [...one(keys).slice(0, -1), 'added'] : one(keys);
    const before = await live.get(collection, key as never);
    const copy = before && Uint8Array.from(before);
    const put = (value: Uint8Array | undefined) => {
      const place = { collection, key: key as never, revision: (revision += 1) };
      return live.write([[value ? { ...place, op: 'put', value } : { ...place, op: 'remove' }]]);
    };
    await put(number % 3 === 1 ? undefined : Buffer.from('{"revision":7}'));
    const verdict = await verifyReadModels({ ...on, temporaryFolder: on.folder });
    t.match(verdict, { kind: 'different', difference: { collection, key } }, `${collection} ${key.join()}`);
    await put(copy);
  }
  t.match(await verifyReadModels({ ...on, temporaryFolder: on.folder }), { kind: 'same' });
});
