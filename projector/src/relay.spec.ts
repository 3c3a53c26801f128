import type { LoadedEvent, ReadModelReader } from '@rollcall/application/read';
import { noTracing, type Tracing } from '@rollcall/host/read';
import t from 'tap';
import { Relay, RelaySpans } from './relay.js';

const queued = (companyId: number): LoadedEvent =>
  ({
    name: 'ImportQueued',
    stream: `company-${companyId}`,
    metadata: { companyId, operationId: `operation of ${companyId}` },
  }) as LoadedEvent;

t.test('imports that are never announced leave room for later ones', (t) => {
  const recorded: unknown[] = [];
  const tracing: Tracing = {
    ...noTracing,
    isOn: true,
    record: ({ operationId }) => void recorded.push(operationId),
  };
  const spans = new RelaySpans(tracing);
  for (let companyId = 1; companyId <= 1_001; companyId += 1) spans.onApplied(queued(companyId));
  spans.onApplied({ ...queued(2), name: 'ImportApproved' });
  for (const companyId of [1, 2, 1_001, 2]) spans.onAnnounced(companyId);
  t.strictSame(recorded, ['operation of 2', 'operation of 1001'], 'each once');
  t.end();
});

/** Read models in which this import of company 7 is pending. */
function withPending(operationId: string): Pick<ReadModelReader, 'findByIndex' | 'getMany'> {
  const value = Buffer.from(JSON.stringify({ companyId: 7, operationId, revision: 3 }));
  return {
    findByIndex: async function* () {
      await Promise.resolve();
      yield { key: [7, operationId], revision: 3, value };
    },
    getMany: (_collection, keys, take) => Promise.resolve(keys.map((_key, at) => take(value, at))),
  };
}

t.test('what is decided of an import announces its company, though the import is pending', async (t) => {
  const operationId = '019aa2f0-5c00-7000-8000-000000000001';
  const end = new AbortController();
  const published: unknown[] = [];
  const publish = (_name: string, body: Uint8Array): Promise<void> =>
    Promise.resolve(
      void published.push((JSON.parse(Buffer.from(body).toString()) as { revision: number }).revision),
    );
  const announced: number[] = [];
  const onAnnounced = (companyId: number): unknown => announced.push(companyId);
  const { signal } = end;
  const readModels = withPending(operationId);
  const relay = new Relay({ queue: { publish }, readModels, signal, onAnnounced });
  const running = relay.run();
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  await turns();
  t.strictSame(published, [3], 'at the start');
  for (const [at, name] of [
    'ImportQueued',
    'ImportApproved',
    'ImportRejected',
    'ImportCancelled',
  ].entries()) {
    const metadata = { companyId: 7, operationId };
    await relay.onApplied({ name, stream: 'company-7', revision: 10 + at, metadata } as LoadedEvent);
    await turns();
  }
  t.strictSame(published, [3, 11, 12, 13], 'one that is queued behind another waits for the end of that');
  t.strictSame(announced, [7, 7, 7, 7]);
  end.abort();
  await running;
});
