import type { BareImportRequest, ImportOutcome, ImportRun, Imports } from '@rollcall/application';
import type { Tracing } from './tracing.js';

export function tracedImports<I extends Pick<Imports, 'accept' | 'takeUp'>>(imports: I, tracing: Tracing): I {
  if (!tracing.isOn) return imports;
  const takeUp: Imports['takeUp'] = (arriving) => {
    const intake = imports.takeUp(arriving);
    return {
      write: (chunks) => intake.write(chunks),
      end: () => intake.end(),
      accept: (request) => traced(tracing, request, () => intake.accept(request)),
      abandon: () => intake.abandon(),
    };
  };
  return {
    ...imports,
    accept: (request) => traced(tracing, request, () => imports.accept(request)),
    takeUp,
  };
}

async function traced(
  tracing: Tracing,
  request: BareImportRequest,
  accept: () => Promise<ImportOutcome>,
): Promise<ImportOutcome> {
  const start = Date.now();
  const record = (outcome: string, revision?: number): void =>
    tracing.record({
      name: 'accept import',
      kind: 'internal',
      start,
      end: Date.now(),
      operationId: request.context.operationId,
      attributes: {
        'rollcall.import.kind': request.kind,
        'rollcall.import.outcome': outcome,
        'rollcall.log.revision': revision,
      },
      failed: outcome === 'error',
    });
  try {
    const outcome = await accept();
    record(outcome.kind, 'written' in outcome ? outcome.written?.revision : undefined);
    return outcome;
  } catch (error) {
    record('error');
    throw error;
  }
}

/** `start` in ms since the epoch. */
export function traceRun(tracing: Tracing, run: ImportRun, start: number): void {
  const outcome = run.kind === 'ended' ? run.outcome : run.kind;
  tracing.record({
    name: 'run import',
    kind: 'consumer',
    start,
    end: Date.now(),
    operationId: run.operationId,
    attributes: {
      'messaging.system': 'rollcall',
      'messaging.destination.name': 'imports',
      'rollcall.import.kind': run.importKind,
      'rollcall.import.outcome': outcome,
      'rollcall.company': run.companyId,
    },
    failed: outcome === 'failed' || outcome === 'attempt-failed',
  });
}
