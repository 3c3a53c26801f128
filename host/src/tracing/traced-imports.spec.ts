import type { BareImportRequest, ImportOutcome, ImportRequest, Imports } from '@rollcall/application';
import { exactly } from '@rollcall/employee-lists/testing';
import t from 'tap';
import { tracedImports } from './traced-imports.js';
import { noTracing, type DoneSpan, type Tracing } from './tracing.js';

const request = { kind: 'employees', companyId: 7, context: { operationId: 'one' } } as BareImportRequest;

/** Imports that are accepted by `accept`, whole or as they arrive. */
const importsOf = (accept: () => Promise<ImportOutcome>): Pick<Imports, 'accept' | 'takeUp'> => ({
  accept,
  takeUp: () => ({
    write: () => undefined,
    end: () => Promise.resolve('sha'),
    accept,
    abandon: () => undefined,
  }),
});

function rig(accept: () => Promise<ImportOutcome>) {
  const spans: DoneSpan[] = [];
  const tracing: Tracing = { ...noTracing, isOn: true, record: (span) => void spans.push(span) };
  const imports = tracedImports(importsOf(accept), tracing);
  const arriving = { kind: 'employees', companyId: 7, expectedBytes: undefined } as const;
  return {
    spans,
    ways: [() => imports.accept(request as ImportRequest), () => imports.takeUp(arriving).accept(request)],
  };
}

t.test('an import has one span, held whole or taken up as it arrives', async (t) => {
  const written = { stream: 'company-7', revision: 3, bytes: 9 };
  const { spans, ways } = rig(() => Promise.resolve({ kind: 'refused', errors: [], written }));
  for (const way of ways) await way();
  const attributes = { 'rollcall.import.outcome': 'refused', 'rollcall.log.revision': 3 };
  const span = { name: 'accept import', operationId: 'one', attributes, failed: false };
  t.match(spans, exactly([span, span]));
});

t.test('one that fails has a failed span, and its caller the error', async (t) => {
  const { spans, ways } = rig(() => Promise.reject(new Error('away')));
  for (const way of ways) await t.rejects(way(), { message: 'away' });
  t.match(spans, exactly([{ failed: true }, { failed: true }]));
});
