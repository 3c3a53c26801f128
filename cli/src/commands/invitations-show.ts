import {
  foldStream,
  numberOfEmployee,
  readInvitation,
  readInvitations,
  type LoadedEvent,
  plain,
} from '@rollcall/application';
import type { Invitation, InvitationState } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import type { CliIo } from '../cli-io.js';
import { warnIfBehind } from '../imports/rows.js';
import { requireCompany } from '../known-company.js';
import { answer, table } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';

export interface ListOptions {
  readonly company: number;
  readonly state?: InvitationState;
  readonly top: number;
  readonly json?: boolean;
}

export interface OneOptions {
  readonly company: number;
  readonly employee?: string;
  readonly number?: number;
  readonly json?: boolean;
}

const errorText = ({ LastError }: Invitation): string =>
  LastError === null ? '' : plain(`${LastError.Code} ${LastError.Problem}`);

export const listInvitations = (io: CliIo, options: ListOptions): Promise<void> =>
  withStores(io, async (session) => {
    const { company: companyId, state, top, json = false } = options;
    await requireCompany(session, companyId);
    await warnIfBehind(session);
    const rows: Invitation[] = [];
    for await (const row of readInvitations(session.readModels, { companyId, now: io.clock.now(), state })) {
      if (rows.length === top) break;
      rows.push(row);
    }
    const cells = rows.map((row) => [
      String(row.Number),
      plain(row.EmployeeID ?? ''),
      row.State,
      row.DueAt,
      String(row.Attempts),
      errorText(row),
    ]);
    const head = ['number', 'employee', 'state', 'due', 'attempts', 'last error'];
    await answer(io, json, { companyId, invitations: rows }, table(head, cells));
  });

/** A refusal where there is no such company, or the read models know no such EmployeeID in it. Warns where they are old. */
export async function numberOf(session: StoresSession, options: OneOptions): Promise<number> {
  const { company, employee, number } = options;
  await requireCompany(session, company);
  await warnIfBehind(session);
  if (number !== undefined) return number;
  const found = await numberOfEmployee(session.readModels, company, employee ?? '');
  if (found !== undefined) return found;
  throw new Refusal(`Company ${company} has no employee ${JSON.stringify(employee)}.`);
}

export const showInvitation = (io: CliIo, options: OneOptions): Promise<void> =>
  withStores(io, async (session) => {
    const { company: companyId, json = false } = options;
    const number = await numberOf(session, options);
    const row = await readInvitation(session.readModels, { companyId, number, now: io.clock.now() });
    if (row === undefined)
      throw new Refusal(`No invitation of employee ${number} of company ${companyId} is known.`);
    const history = await historyOf(session, invitations.invitationStream(companyId, number));
    await answer(io, json, { companyId, ...row, history }, linesOf(companyId, row, history));
  });

async function historyOf({ log }: StoresSession, stream: string): Promise<readonly HistoryEntry[]> {
  const { state } = await foldStream<readonly HistoryEntry[]>(log, stream, {
    initial: () => [],
    evolve: (history, event) => [...history, entryOf(event)],
  });
  return state;
}

type HistoryEntry = ReturnType<typeof entryOf>;

const entryOf = ({ name, metadata: { recordedAt, username, reason } }: LoadedEvent) => ({
  at: recordedAt,
  event: name,
  by: username,
  reason: reason ?? null,
});

function linesOf(companyId: number, row: Invitation, history: readonly HistoryEntry[]): readonly string[] {
  const employee = row.EmployeeID === undefined ? 'who has left' : JSON.stringify(row.EmployeeID);
  const error = errorText(row);
  return [
    `Invitation of employee ${row.Number} of company ${companyId}, ${plain(employee)}`,
    `  state       ${row.State}`,
    `  due         ${row.DueAt}`,
    `  attempts    ${row.Attempts}`,
    ...(error === '' ? [] : [`  last error  ${error}`]),
    ...(row.SentAt === null ? [] : [`  sent        ${row.SentAt}`]),
    ...(row.MessageId === null ? [] : [`  message id  ${plain(row.MessageId)}`]),
    ...history.map(({ at, event, by, reason }) => {
      const why = reason === null ? '' : `: ${plain(reason)}`;
      return `  ${at} ${event} by ${plain(by)}${why}`;
    }),
  ];
}
