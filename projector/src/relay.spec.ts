import type { LoadedEvent } from '@rollcall/application/read';
import { noTracing, type Tracing } from '@rollcall/host/read';
import t from 'tap';
import { RelaySpans } from './relay.js';

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
  for (const companyId of [1, 2, 1_001]) spans.onAnnounced(companyId);
  t.strictSame(recorded, ['operation of 2', 'operation of 1001']);
  t.end();
});
