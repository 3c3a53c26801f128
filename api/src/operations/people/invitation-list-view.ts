import type { Invitation, InvitationState } from '@rollcall/contracts';
import { pathOfEmployee } from '../companies/company-view.js';
import { html, type Html } from '../frame/html.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { state, type State, table } from '../frame/table.js';

const kinds: Readonly<Record<InvitationState, State>> = {
  Planned: 'waiting',
  Due: 'waiting',
  Held: 'bad',
  Sending: 'waiting',
  Deferred: 'waiting',
  Sent: 'good',
  Failed: 'bad',
  Cancelled: 'quiet',
};

export const stateOfInvitation = ({ State: own }: Invitation): Html => state(kinds[own], own);

type Row = Invitation & { readonly EndedAt?: string };

const whoOf = ({ Number: number, EmployeeID }: Invitation): string =>
  EmployeeID ?? `Number ${number}, who has left`;

/** An answer of a mail server begins with its code: that stands there once. */
export const errorText = ({ LastError }: Invitation): string =>
  LastError === null ? '–' : `${LastError.Code} ${LastError.Problem}`.replace(/^(.+) (?=\1)/, '');

export const invitationTable = (
  { caption, ended }: { readonly caption: string; readonly ended: string | undefined },
  rows: readonly Row[],
  { companyId, times }: { readonly companyId: number; readonly times: TimeOptions },
): Html =>
  table<Row>({
    caption,
    columns: [
      {
        name: 'Employee',
        show: (row) => html`<a href="${pathOfEmployee(companyId, row.Number)}#invitation">${whoOf(row)}</a>`,
      },
      { name: 'State', show: stateOfInvitation },
      ended === undefined
        ? { name: 'Due', show: ({ DueAt }) => time(DueAt, times) }
        : { name: ended, show: ({ EndedAt }) => time(EndedAt, times) },
      { name: 'Attempts', isNumber: true, show: ({ Attempts }) => String(Attempts) },
      { name: 'Last error', show: errorText },
    ],
    rows,
  });
