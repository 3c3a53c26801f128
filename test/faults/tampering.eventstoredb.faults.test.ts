import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openEventLog } from '@rollcall/adapters';
import type { Anchor, EventLog, RecordedEvent } from '@rollcall/application';
import t from 'tap';
import { openRig } from '../projector/projector.support.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { scale, seed } from '../support/scale.js';
import { withoutPython } from '../support/verifier.js';
import { anchorNow, verdictOf, writeExport, writeHistory } from './anchored-log.js';
import { comparable, isFound, one, random, theirVerdicts } from './verdicts.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

t.setTimeout(3_600_000);

const count = Math.ceil(50 * scale);

/** Changes the events that are written; where the damage is to be found, or `anchor` where only an anchor shows it. */
type Tampering = (events: RecordedEvent[]) => string;

const placeOf = ({ stream, revision }: RecordedEvent, more = 0): string => `${stream}@${revision + more}`;
const isText = ({ contentType }: RecordedEvent): boolean => contentType === 'json';
const isLast = (events: readonly RecordedEvent[], { stream, revision }: RecordedEvent): boolean =>
  !events.some((each) => each.stream === stream && each.revision > revision);

function replaced(events: RecordedEvent[], event: RecordedEvent, change: Partial<RecordedEvent>): string {
  events[events.indexOf(event)] = { ...event, ...change };
  return placeOf(event);
}

const bent = (bytes: Uint8Array): Uint8Array => {
  const text = Buffer.from(bytes);
  const at = text.findIndex((byte, index) => index > text.length / 2 && byte >= 0x61 && byte <= 0x79);
  text[Math.max(0, at)] = (text[Math.max(0, at)] ?? 0) + 1;
  return text;
};

const tamperings: Readonly<Record<string, Tampering>> = {
  'a byte of a value': (events) => {
    const event = one(events.filter(isText));
    return replaced(events, event, { data: bent(event.data) });
  },
  'a byte of metadata': (events) => {
    const event = one(events);
    return replaced(events, event, { metadata: bent(event.metadata) });
  },
  'a byte of a chunk': (events) => {
    const event = one(events.filter((each) => !isText(each)));
    return replaced(events, event, { data: bent(event.data) });
  },
  'another date': (events) => {
    const event = one(events);
    const metadata = Buffer.from(event.metadata)
      .toString()
      .replace(/"recordedAt":"2026/, '"recordedAt":"2025');
    return replaced(events, event, { metadata: Buffer.from(metadata) });
  },
  'a removed event': (events) => {
    const event = one(events.filter(isText));
    events.splice(events.indexOf(event), 1);
    return isLast(events, event) ? 'anchor' : placeOf(event);
  },
  'a repeated event': (events) => {
    const event = one(events.filter(isText));
    events.splice(events.indexOf(event) + 1, 0, event);
    return placeOf(event, 1);
  },
  'swapped events': (events) => {
    const event = one(events.filter((each) => isText(each) && !isLast(events, each)));
    const next = events.findIndex(({ stream, revision }) => placeOf(event, 1) === `${stream}@${revision}`);
    const at = events.indexOf(event);
    [events[at], events[next]] = [events[next] ?? event, event];
    return placeOf(event);
  },
  'a cut tail': (events) => {
    events.splice(-1 - random(20));
    return 'anchor';
  },
  'a removed stream': (events) => {
    const { stream } = one(events.filter(isText));
    events.splice(0, events.length, ...events.filter((each) => each.stream !== stream));
    return 'anchor';
  },
};

async function writeAll(log: EventLog, events: readonly RecordedEvent[]): Promise<void> {
  const heads = new Map<string, number>();
  for (const event of events) {
    const head = heads.get(event.stream);
    const result = await log.append(event.stream, head ?? 'no-stream', [event]);
    if (result.outcome !== 'appended') throw new Error(`${placeOf(event)} was not written`);
    heads.set(event.stream, (head ?? -1) + 1);
  }
}

async function eventsOf(log: EventLog): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const item of log.subscribeToAll({ after: undefined, signal: new AbortController().signal })) {
    if (item.kind === 'caught-up') break;
    events.push(item.event);
  }
  return events;
}

t.test(`${count} tamperings with a log on EventStoreDB are found where they are`, async (t) => {
  const on = await openRig(t);
  await writeHistory(on, 110);
  const anchor: Anchor = await anchorNow(on);
  const original = await eventsOf(on.log);
  const server = await EventStoreDbServer.start();
  t.teardown(() => server.stop());
  const folders: string[] = [];
  const verdicts = [];
  for (let number = 0; number <= count; number += 1) {
    const events = [...original];
    const name = Object.keys(tamperings)[number % Object.keys(tamperings).length] ?? '';
    const where = number === count ? undefined : tamperings[name]?.(events);
    const eventLog = { kind: 'eventstoredb', connectionString: server.url } as const;
    const config = { ...embeddedAdapters(on.folder), eventLog, streamPrefix: `t${number}-` };
    const log = await openEventLog(config);
    try {
      await writeAll(log, events);
      const verdict = await verdictOf(log, anchor);
      if (where === undefined) t.strictSame(verdict, { damaged: [], anchors: true }, 'untouched');
      else
        t.ok(isFound(verdict, where), `${name}: ${where} in ${JSON.stringify(verdict)} (TEST_SEED=${seed})`);
      const folder = join(on.folder, `export-${number}`);
      await mkdir(folder);
      await writeExport(log, folder, anchor);
      folders.push(folder);
      verdicts.push(comparable(verdict));
    } finally {
      await log.close();
    }
  }
  if (withoutPython() !== false) return;
  t.strictSame(
    (await theirVerdicts(folders)).map(comparable),
    verdicts,
    'the stand-alone verifier says the same',
  );
});
