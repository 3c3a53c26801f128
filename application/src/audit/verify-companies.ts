import type { Digester } from '@rollcall/employee-lists';
import { companyFold } from '../companies/company-state-cache.js';
import { foldStream } from '../event-store/load-state.js';
import { LogCorrupt, type EventReader, type Position, type StreamAdmin } from '../ports/event-log.js';
import { throughOutages } from './through-outages.js';
import type { DamagedStream } from './verify-log.js';

type Broken = { readonly kind: 'broken' } & DamagedStream;

export type CompaniesVerdict = { readonly kind: 'whole'; readonly companies: number } | Broken;

interface CompaniesSeen {
  readonly companies: number;
  readonly of: number;
  readonly position: Position;
}

/** Folds every company as decisions do, and recomputes each set's `setDigest` with the installation's key. */
export async function verifyCompanies(
  log: EventReader & Pick<StreamAdmin, 'listStreams'>,
  digester: Digester,
  onEvent: (seen: CompaniesSeen) => void = () => undefined,
): Promise<CompaniesVerdict> {
  let companies = 0;
  const streams = await throughOutages(() => namesOf(log));
  for (const stream of streams) {
    const seen = (position: Position): void => onEvent({ companies, of: streams.length, position });
    const broken = await throughOutages(() => verifyCompany({ log, digester, seen }, stream));
    if (broken !== undefined) return broken;
    companies += 1;
  }
  return { kind: 'whole', companies };
}

async function namesOf(log: Pick<StreamAdmin, 'listStreams'>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { stream } of log.listStreams('company-')) names.push(stream);
  return names;
}

interface Verifying {
  readonly log: EventReader;
  readonly digester: Digester;
  readonly seen: (position: Position) => void;
}

async function verifyCompany(
  { log, digester, seen }: Verifying,
  stream: string,
): Promise<Broken | undefined> {
  const fold = companyFold(digester);
  let revision = 0;
  try {
    await foldStream(log, stream, {
      initial: () => fold.initial(),
      evolve: (state, event) => {
        ({ revision } = event);
        seen(event.position);
        return fold.evolve(state, event);
      },
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof LogCorrupt)) throw error;
    return { kind: 'broken', stream, revision, problem: error.message };
  }
}
