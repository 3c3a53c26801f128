import type { Digester } from '@rollcall/domain';
import { companyFold } from '../companies/company-fold.js';
import { foldStream } from '../event-store/fold.js';
import { LogCorrupt, type EventReader, type StreamAdmin } from '../ports/event-log.js';
import { throughOutages } from './through-outages.js';
import type { LogVerdict } from './verify-log.js';

type Broken = Extract<LogVerdict, { kind: 'broken' }>;

export type CompaniesVerdict = { readonly kind: 'whole'; readonly companies: number } | Broken;

/**
 * Folds every company as decisions do: each event fits the set before it, and the set that comes of it has the `setDigest`
 * that the event says, which only the installation's own digest key makes.
 */
export async function verifyCompanies(
  log: EventReader & Pick<StreamAdmin, 'listStreams'>,
  digester: Digester,
): Promise<CompaniesVerdict> {
  let companies = 0;
  const streams = await throughOutages(() => namesOf(log));
  for (const stream of streams) {
    const broken = await throughOutages(() => verifyCompany(log, stream, digester));
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

async function verifyCompany(
  log: EventReader,
  stream: string,
  digester: Digester,
): Promise<Broken | undefined> {
  const fold = companyFold(digester);
  let revision = 0;
  try {
    await foldStream(log, stream, {
      initial: () => fold.initial(),
      evolve: (state, event) => {
        ({ revision } = event);
        return fold.evolve(state, event);
      },
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof LogCorrupt)) throw error;
    return { kind: 'broken', stream, revision, problem: error.message };
  }
}
