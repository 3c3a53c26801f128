import {
  isRun,
  type BareImportRequest,
  type ImportOutcome,
  type ImportRunner,
  type Imports,
} from '@rollcall/application';
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

type Runner = Pick<ImportRunner, 'runOldest'>;

/** A poll that runs nothing, or throws, has no span. */
export function tracedRunner(runner: Runner, tracing: Tracing): Runner {
  if (!tracing.isOn) return runner;
  return {
    runOldest: async (companyId, options) => {
      const start = Date.now();
      const result = await runner.runOldest(companyId, options);
      if (!isRun(result)) return result;
      const outcome = result.kind === 'ended' ? result.outcome : result.kind;
      tracing.record({
        name: 'run import',
        kind: 'consumer',
        start,
        end: Date.now(),
        operationId: result.operationId,
        attributes: {
          'messaging.system': 'rollcall',
          'messaging.destination.name': 'imports',
          'rollcall.import.kind': result.importKind,
          'rollcall.import.outcome': outcome,
          'rollcall.company': companyId,
        },
        failed: outcome === 'failed' || outcome === 'attempt-failed',
      });
      return result;
    },
  };
}
