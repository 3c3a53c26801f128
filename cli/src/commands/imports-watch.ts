import { readPendingImports, throughOutages } from '@rollcall/application';
import type { CliIo } from '../cli-io.js';
import { companyOfImport, readRow, warnIfBehind, type ImportRow } from '../imports/rows.js';
import { outcomeText, statusText } from '../imports/text.js';
import { progressView, type ProgressView } from '../imports/progress-view.js';
import { requireCompany } from '../known-company.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';
import { importsBefore } from './imports-show.js';

export interface WatchOptions {
  /** Exactly one of the two. */
  readonly operation?: string;
  readonly company?: number;
  readonly json?: boolean;
}

const LOOK_MS = 500;

interface Watched {
  readonly companyId: number;
  readonly operationId: string;
}

async function watchOne(session: StoresSession, one: Watched, view: ProgressView): Promise<ImportRow> {
  try {
    for (let isHeld = false; ;) {
      const { row, before } = await throughOutages(
        () => readOne(session, one),
        (ms) => session.io.sleep(ms),
      );
      await view.show(one.operationId, row, before);
      if (row !== undefined && row.CompletedOn !== null) return row;
      if (row?.status === 'held' && !isHeld) session.io.err(heldText(one, session.io));
      isHeld = row?.status === 'held';
      await session.io.sleep(LOOK_MS);
    }
  } finally {
    view.end();
  }
}

const readOne = async (session: StoresSession, { companyId, operationId }: Watched) => ({
  row: await readRow(session, companyId, operationId),
  before: await importsBefore(session, companyId, operationId),
});

/** Below the bar on a terminal. */
const heldText = ({ operationId }: Watched, { screen }: CliIo): string =>
  `${screen ? '\n' : ''}Decide on it with \`rollcall imports approve --operation ${operationId} --reason WHY\`, or \`reject\`.\n`;

async function watchedBy(
  session: StoresSession,
  { operation, company }: WatchOptions,
): Promise<readonly Watched[]> {
  const isBehind = await warnIfBehind(session);
  if (operation !== undefined)
    return [{ companyId: await companyOfImport(session, operation), operationId: operation }];
  const pending = await readPendingImports(session.readModels, company);
  if (isBehind && pending.length === 0)
    throw new Refusal(`Whether an import of company ${company} is pending is not projected yet.`);
  return pending;
}

/** Ends when all of them have ended, later ones excluded. A refusal where one failed. */
export const watchImports = (io: CliIo, options: WatchOptions): Promise<void> =>
  withStores(io, async (session) => {
    const { json = false, operation, company } = options;
    await requireCompany(session, company);
    const ended: ImportRow[] = [];
    for (const one of await watchedBy(session, options)) {
      const row = await watchOne(session, one, progressView(io, json));
      ended.push(row);
      if (!json) await io.out(`${endText(row)}\n`);
    }
    const [first] = ended;
    if (json)
      await answer(io, json, operation ? { operationId: operation, ...first } : { imports: ended }, []);
    else if (first === undefined) await io.out(`No import of company ${company} is pending.\n`);
    const bad = ended.filter(({ status }) => status !== 'done');
    if (bad.length > 0) throw new Refusal(bad.map(endText).join('\n'));
  });

const endText = (row: ImportRow): string =>
  `Import ${row.ApiOperationId} of company ${row.companyId}: ${statusText(row)}, ${outcomeText(row)}`;
