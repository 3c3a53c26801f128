import type { ImportLife, LifeEvent, ListedImport } from '@rollcall/application';
import { html, nothing, type Html } from '../frame/html.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { table } from '../frame/table.js';

const words: Readonly<Record<string, string>> = {
  ImportQueued: 'Accepted and queued',
  ImportHeld: 'Held: over the batch limit',
  ImportApproved: 'Approved',
  ImportRejected: 'Rejected',
  ImportStarted: 'Attempt started',
  ImportInterrupted: 'Attempt interrupted',
  ImportProgressed: 'Got further',
  ImportAttemptFailed: 'Attempt failed',
  EmployeeSetReplaced: 'Carried out',
  EmployeeSetConfirmed: 'Carried out: nothing changed',
  ManagerRolesImported: 'Carried out',
  ManagerRolesConfirmed: 'Carried out: nothing changed',
  ImportFailed: 'Failed for good',
  ImportCancelled: 'Cancelled',
  ImportRefused: 'Refused at once',
};

const isShort = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The members of an event that say something to a person. */
const shownFacts = [
  'attempt',
  'stage',
  'percent',
  'problem',
  'cause',
  'reason',
  'elements',
  'inserted',
  'updated',
  'removed',
  'status',
];

function factsText({ facts, reason }: LifeEvent): string {
  const shown = shownFacts.flatMap((name) => {
    const fact = facts[name];
    return isShort(fact) ? [`${name} ${fact}`] : [];
  });
  return [...(reason === undefined ? [] : [`“${reason}”`]), ...shown].join(', ');
}

export const lifeTable = (caption: string, events: readonly LifeEvent[], times: TimeOptions): Html =>
  table<LifeEvent>({
    caption,
    columns: [
      { name: 'When', show: ({ by }) => time(by.recordedAt, times) },
      { name: 'What', show: ({ type }) => words[type] ?? type },
      { name: 'Details', show: factsText },
      { name: 'By', show: ({ by }) => by.username },
      { name: 'Event', show: ({ by, type }) => html`<code>${type} ${by.stream}@${by.revision}</code>` },
    ],
    rows: events,
  });

export const attemptsText = ({ state }: ListedImport, { events, queued }: ImportLife): string => {
  const count = events.filter(({ type }) => type === 'ImportStarted').length;
  if (count > 0 || (state !== 'done' && state !== 'failed')) return String(count);
  return queued || state === 'failed' ? 'Not recorded' : 'Carried out with the call';
};

export const webhookList = ({ webhooks }: ImportLife): Html =>
  webhooks.length === 0
    ? nothing
    : html`<ul>
        ${webhooks.map(
          ({ url, isDelivered }) =>
            html`<li>Webhook <code>${url}</code>: ${isDelivered ? 'notified' : 'not notified yet'}</li>`,
        )}
      </ul>`;
