import { join } from 'node:path';
import {
  checkExport,
  exportedEvents,
  exportLog,
  openEmbeddedEventLog,
  readExportManifest,
} from '@rollcall/adapters';
import {
  CHAIN_START,
  ChainCheck,
  chainOf,
  createInstallation,
  EventSum,
  finishImport,
  importEvents,
  readLog,
  systemClock,
  withChain,
  type EventLog,
  type EventToAppend,
  type RecordedEvent,
} from '@rollcall/application';
import fc from 'fast-check';
import tap from 'tap';
import { seed } from '../support/scale.js';

const installationId = '0189aaaa-0000-4000-8000-000000000001';
const context = {
  companyId: null,
  operationId: '01890000-0000-7000-8000-000000000001',
  userId: null,
  username: 'system:test@example.com',
  causationId: null,
  receivedAt: '2026-11-21T08:00:00.000Z',
};

interface Written {
  readonly stream: string;
  readonly contents: readonly (string | Uint8Array)[];
}

const streams = ['company-7', 'company-70', 'survey-3', 'api-users', 'surveyids', 'invitation-7-1', 'key-ab'];
const chunked = ['payload-0a', 'data-0a-1', 'payload-0b'];

/** What is appended, one append after the other: few streams, so that they mix. */
const writes: fc.Arbitrary<readonly Written[]> = fc.array(
  fc.oneof(
    fc.record({
      stream: fc.constantFrom(...streams),
      contents: fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(300_000))), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    fc.record({
      stream: fc.constantFrom(...chunked),
      contents: fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 2 }),
    }),
  ),
  { minLength: 1, maxLength: 30 },
);

class Writer {
  readonly #log: EventLog;
  readonly #heads = new Map<string, { revision: number; chain: string }>();
  #id = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  async write({ stream, contents }: Written): Promise<void> {
    const head = this.#heads.get(stream) ?? { revision: -1, chain: CHAIN_START };
    const { revision } = head;
    const events = contents.map((content) => this.#linked(stream, head, content));
    this.#heads.set(stream, head);
    const result = await this.#log.append(stream, revision < 0 ? 'no-stream' : revision, events);
    if (result.outcome !== 'appended') throw new Error(`${stream} was not appended to`);
  }

  #linked(
    stream: string,
    head: { revision: number; chain: string },
    content: string | Uint8Array,
  ): EventToAppend {
    const isText = typeof content === 'string';
    const id = `00000000-0000-4000-8000-${String((this.#id += 1)).padStart(12, '0')}`;
    const type = isText ? 'SurveyCreated' : 'DataPiece';
    const data = isText ? Buffer.from(JSON.stringify({ content })) : content;
    const metadata = JSON.stringify({ ...context, recordedAt: context.receivedAt });
    const revision = (head.revision += 1);
    head.chain = chainOf(head.chain, { stream, revision, id, type, data, metadata });
    const contentType = isText ? 'json' : 'binary';
    return { id, type, contentType, data, metadata: Buffer.from(withChain(metadata, head.chain)) };
  }
}

async function sumOf(log: EventLog): Promise<string> {
  const [sum, chains] = [new EventSum(), new ChainCheck()];
  await readLog(log, await log.lastPosition(), (event) => {
    sum.add(event);
    chains.take(event);
  });
  return sum.text;
}

/** The import is killed behind each of these events, and then runs to its end. */
async function importWithKills(from: string, into: string, kills: readonly number[]): Promise<string> {
  for (const kill of [...kills, Infinity]) {
    const log = await openEmbeddedEventLog({ folder: into, streamPrefix: 'new-', sync: false });
    const manifest = await readExportManifest(from);
    const events = cut(exportedEvents(from, manifest), kill);
    await importEvents(log, events, { installationId, onCopied: () => undefined }).catch((error: unknown) => {
      if (kill === Infinity) throw error;
    });
    if (kill === Infinity) {
      await finishImport(log, (await checkExport(from, manifest)).sum, () => undefined);
      const sum = await sumOf(log);
      await log.close();
      return sum;
    }
    await log.close();
  }
  throw new Error('unreachable');
}

async function* cut(events: AsyncIterable<RecordedEvent>, after: number): AsyncGenerator<RecordedEvent> {
  let count = 0;
  for await (const event of events) {
    if ((count += 1) > after) throw new Error('killed');
    yield event;
  }
}

tap.test('any log is the same after export and import, however often that is killed', async (t) => {
  const folder = t.testdir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      writes,
      fc.array(fc.nat({ max: 40 }), { maxLength: 3 }),
      fc.boolean(),
      async (all, kills, swept) => {
        const at = join(folder, String((run += 1)));
        const log = await openEmbeddedEventLog({ folder: join(at, 'log'), sync: false });
        const created = { installationId, keyCheck: 'ab'.repeat(32) };
        await createInstallation(
          { log, clock: systemClock },
          { ...context, operationId: installationId },
          created,
        );
        const writer = new Writer(log);
        for (const one of all) await writer.write(one);
        if (swept) await log.deleteStream('payload-0a');
        const manifest = await exportLog({ log, to: join(at, 'out'), now: () => 0 });
        const expected = await sumOf(log);
        t.equal(`${manifest.events}`, expected.split(' ')[0]);
        if ((await importWithKills(join(at, 'out'), join(at, 'into'), kills)) !== expected)
          throw new Error('differs');
        await log.close();
      },
    ),
    { numRuns: 15, seed },
  );
});
