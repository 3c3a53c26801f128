import type { FoundPerson, TimelineRow } from '@rollcall/application';
import type { EmployeeRow, Invitation } from '@rollcall/contracts';
import { pathOfEmployee } from '../companies/company-view.js';
import { html, nothing, type Html } from '../frame/html.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { type Column, empty, facts, state, table } from '../frame/table.js';
import { fieldList } from '../imports/difference-view.js';
import { pathOfImport } from '../imports/import-list-view.js';
import { errorText, stateOfInvitation } from './invitation-list-view.js';

const words: Readonly<Record<string, string>> = {
  joined: 'Joined',
  changed: 'Changed',
  left: 'Left',
  returned: 'Returned',
  InvitationRequested: 'Invitation asked for',
  InvitationSending: 'Invitation on its way',
  InvitationSent: 'Invitation sent',
  InvitationDeferred: 'Invitation put off',
  InvitationFailed: 'Invitation failed',
  InvitationCancelled: 'Invitation cancelled',
};

interface EmployeeView {
  readonly companyId: number;
  /** Undefined where the employee has left. */
  readonly row: EmployeeRow | undefined;
  readonly invitation: Invitation | undefined;
  readonly timeline: readonly TimelineRow[];
  readonly mails: readonly TimelineRow[];
  readonly pages: Html;
  readonly times: TimeOptions;
  readonly actions: Html;
}

const shownFields = [
  'EmployeeID',
  'Email',
  'Phonenumber',
  'JobTitle',
  'Department',
  'Role',
  'ImmediateManager',
  'Birthday',
] as const satisfies readonly (keyof EmployeeRow)[];

export function employeeView(view: EmployeeView): Html {
  const { row, timeline, pages, times, actions, mails } = view;
  return html`${row === undefined ? html`<p class="lead">No employee of the company now.</p>` : valuesOf(row)}
    <h2>Timeline</h2>
    <p>Which import set what, the newest first.</p>
    ${
      timeline.length === 0
        ? empty('No import that was looked at here names this person.')
        : timelineTable('What happened', timeline, times)
    }
    ${pages}
    <h2 id="invitation">Invitation</h2>
    ${invitationOf(view)} ${actions}
    ${mails.length === 0 ? nothing : timelineTable('What happened to the invitation', mails, times)}`;
}

const valuesOf = (row: EmployeeRow): Html =>
  facts([
    ...shownFields.map((name) => [name, row[name] ?? undefined] as const),
    ...Object.entries(row.Dimensions).filter(([name]) => !shownFields.some((shown) => shown === name)),
  ]);

const ofImports: readonly Column<TimelineRow>[] = [
  { name: 'Fields', show: ({ fields }) => fieldList(fields) },
  { name: 'Import', show: ({ by }) => html`<a href="${pathOfImport(by)}">Import</a>` },
];

const timelineTable = (caption: string, rows: readonly TimelineRow[], times: TimeOptions): Html =>
  table<TimelineRow>({
    caption,
    columns: [
      { name: 'When', show: ({ by }) => time(by.recordedAt, times) },
      { name: 'What', show: ({ what }) => words[what] ?? what },
      { name: 'By', show: ({ by }) => by.username },
      ...(rows.some(({ by }) => by.stream.startsWith('company-')) ? ofImports : []),
    ],
    rows,
  });

function invitationOf({ invitation, times }: EmployeeView): Html {
  if (invitation === undefined) return empty('No invitation is planned.');
  const { DueAt, Attempts, LastError, SentAt } = invitation;
  return facts([
    ['State', stateOfInvitation(invitation)],
    ['Due', time(DueAt, times)],
    ['Sent', time(SentAt, times)],
    ['Attempts', String(Attempts)],
    ['Last error', LastError === null ? undefined : errorText(invitation)],
  ]);
}

export const peopleTable = (
  caption: string,
  people: readonly (FoundPerson & { readonly companyId: number; readonly company: string })[],
): Html =>
  table<(typeof people)[number]>({
    caption,
    columns: [
      {
        name: 'Name',
        show: ({ companyId, number, name, hasLeft }) =>
          html`<a href="${pathOfEmployee(companyId, number)}">${name}</a>
            ${hasLeft ? state('quiet', 'Left') : nothing}`,
      },
      { name: 'EmployeeID', show: ({ employeeId }) => employeeId },
      { name: 'Company', show: ({ company }) => company },
    ],
    rows: people,
  });
