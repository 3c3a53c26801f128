import { partProblems } from '@rollcall/host';
import {
  readCompanies,
  readWork,
  refuseUnfinishedImport,
  type Clock,
  type EventLog,
  type ReadModels,
  type WaitingWork,
  plain,
} from '@rollcall/application';
import { counted, importsWait, oldAfterMs, spanText } from '../situation/words.js';
import { green, red, type Check } from './check.js';

interface Examined {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly clock: Clock;
}

export async function* workChecks(examined: Examined): AsyncIterable<Check> {
  await refuseUnfinishedImport(examined.log);
  yield await companiesCheck(examined);
  const problems = await partProblems(examined);
  const advice = 'See rollcall projections status, and whether a projector runs.';
  for (const { problem } of problems) yield red('projections', problem, advice);
  if (problems.length > 0) return;
  yield green('projections', 'the read models follow the log');
  yield* waitingChecks(await readWork(examined.readModels, examined.clock.now()));
}

async function companiesCheck({ log }: Examined): Promise<Check> {
  const { configured, broken } = await readCompanies(log);
  const [bad] = broken;
  return bad === undefined
    ? green('companies', `${counted(configured.length, 'company').replace(/ys$/, 'ies')} can be read`)
    : red('companies', `${bad.stream} is broken: ${plain(bad.problem)}`, 'See rollcall audit verify.');
}

function* waitingChecks(work: WaitingWork): Iterable<Check> {
  const { imports, oldestImportMs, oldestInvitationMs, held } = work;
  const waiting = imports === 0 ? 'none waits' : `${imports} waiting, ${importsWait(work)}`;
  yield oldestImportMs > oldAfterMs.imports
    ? red('imports', waiting, 'See whether a worker runs, and rollcall imports list --state pending.')
    : green('imports', waiting);
  const due =
    oldestInvitationMs === 0
      ? 'none is overdue'
      : `the oldest has been due for ${spanText(oldestInvitationMs)}`;
  const text = held.length === 0 ? due : `${due}; held by ${held.map((id) => `company ${id}`).join(', ')}`;
  yield oldestInvitationMs > oldAfterMs.invitations
    ? red(
        'invitations',
        text,
        'See whether a worker runs, its log, and rollcall invitations list --state Due.',
      )
    : green('invitations', text);
}
