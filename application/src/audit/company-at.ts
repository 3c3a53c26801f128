import type { EventName, ManagerRolesImported } from '@rollcall/contracts';
import { headAt, INITIAL_HEAD, verifyNext } from '../event-store/load-state.js';
import type { LoadedEvent } from '../event-store/loaded-event.js';
import type { StreamHead } from '../event-store/linked-events.js';
import type { EventReader, Position } from '../ports/event-log.js';
import { setSummary } from './event-facts.js';
import { originOf, type AuditPart, type AuditRow, type Origin } from './audit-row.js';

/** A moment of a company: the last event at or before a time (ISO 8601 UTC with milliseconds), or a revision of its stream. */
export type Moment = { readonly at: string } | { readonly revision: number };

export type AuditRows = ReadonlyMap<string, AuditRow>;

/** A company at a moment, without its employees and surveys. */
export interface CompanyAt {
  readonly companyId: number;
  /** The last event that counts. */
  readonly head: Origin;
  /** Until when surveys count. */
  readonly until: string;
  readonly employees: number;
  readonly rows: AuditRows;
}

const keyOf = (part: AuditPart, id: number | string): string => `${part}/${id}`;

type Put = Pick<AuditRow, 'open'> & { readonly personal?: object };

class CompanyRows {
  readonly rows: Map<string, AuditRow> = new Map();

  put(part: AuditPart, id: number | string, by: Origin, { open, personal }: Put): void {
    const known = this.rows.get(keyOf(part, id));
    const text = personal === undefined ? known?.personal : JSON.stringify(personal);
    const row = { part, id: String(id), by, open: { ...known?.open, ...open } };
    this.rows.set(keyOf(part, id), text === undefined ? row : { ...row, personal: text });
  }

  delete(part: AuditPart, id: number | string): void {
    this.rows.delete(keyOf(part, id));
  }

  personal(part: AuditPart, id: number): object {
    const known: unknown = JSON.parse(this.rows.get(keyOf(part, id))?.personal ?? '{}');
    return { ...(known as object) };
  }
}

type Step = (rows: CompanyRows, event: LoadedEvent, by: Origin) => Promise<void> | void;

const held =
  (invitationsHeld: boolean): Step =>
  (rows, _event, by) =>
    rows.put('settings', 'invitationsHeld', by, { open: { value: invitationsHeld } });

/** Other events of the stream change employees only, or nothing that is kept. */
const steps: { readonly [N in EventName]?: Step } = {
  CompanyConfigured: async (rows, event, by) => {
    const { settings } = await event.data('CompanyConfigured');
    for (const [name, value] of Object.entries(settings)) {
      const known = rows.rows.get(keyOf('settings', name));
      if (known === undefined || JSON.stringify(known.open['value']) !== JSON.stringify(value))
        rows.put('settings', name, by, { open: { value } });
    }
  },
  InvitationTemplateSet: async (rows, event, by) => {
    const { language, ...open } = await event.data('InvitationTemplateSet');
    rows.put('templates', language, by, { open });
  },
  InvitationsHeld: held(true),
  InvitationsReleased: held(false),
  ManagerRolesImported: async (rows, event, by) => {
    const data = await event.data('ManagerRolesImported');
    putUsers(rows, data, by);
    putDepartments(rows, data, by);
    putRoles(rows, data, by);
  },
};

function putUsers(rows: CompanyRows, data: ManagerRolesImported, by: Origin): void {
  for (const { number, values } of data.usersCreated)
    rows.put('users', number, by, { open: { locked: false }, personal: values });
  for (const { number, values } of data.usersRenamed)
    rows.put('users', number, by, { open: {}, personal: { ...rows.personal('users', number), ...values } });
  for (const number of data.usersLocked) rows.put('users', number, by, { open: { locked: true } });
  for (const number of data.usersUnlocked) rows.put('users', number, by, { open: { locked: false } });
}

function putDepartments(rows: CompanyRows, data: ManagerRolesImported, by: Origin): void {
  for (const { number, ...open } of data.departmentsCreated)
    rows.put('departments', number, by, { open: { ...open, parent: null } });
  for (const { department, parent } of data.hierarchy)
    if (rows.rows.get(keyOf('departments', department))?.open['parent'] !== parent)
      rows.put('departments', department, by, { open: { parent } });
  for (const number of data.parentsRemoved) rows.put('departments', number, by, { open: { parent: null } });
}

function putRoles(rows: CompanyRows, data: ManagerRolesImported, by: Origin): void {
  for (const { department, user } of data.rolesDisabled) rows.delete('roles', `${department}/${user}`);
  for (const { department, user, primaryContact } of [...data.rolesChanged, ...data.rolesEnabled])
    rows.put('roles', `${department}/${user}`, by, { open: { department, user, primaryContact } });
}

const isAfter = ({ revision, metadata }: LoadedEvent, moment: Moment): boolean =>
  'at' in moment ? metadata.recordedAt > moment.at : revision > moment.revision;

/**
 * The company at each of these moments, which do not descend; undefined where it did not exist yet, or has no such revision. One pass
 * over the company's stream, chain verified (`LogCorrupt`); large lists of employees are not read.
 */
export async function companyAt(
  log: EventReader,
  companyId: number,
  moments: readonly Moment[],
  { onRead }: { readonly onRead?: ((position: Position) => void) | undefined } = {},
): Promise<readonly (CompanyAt | undefined)[]> {
  const state = new CompanyRows();
  const found: (CompanyAt | undefined)[] = [];
  let head: Origin | undefined;
  let set: LoadedEvent | undefined;
  let chained: StreamHead = INITIAL_HEAD;
  const reach = async (event: LoadedEvent | undefined): Promise<boolean> => {
    for (let next = moments[found.length]; next !== undefined; next = moments[found.length]) {
      if (event !== undefined && !isAfter(event, next)) return false;
      found.push(await momentOf(companyId, next, { head, set, rows: new Map(state.rows) }));
    }
    return true;
  };
  for await (const recorded of log.readStream(`company-${companyId}`)) {
    const event = verifyNext(log, chained, recorded);
    if (await reach(event)) break;
    head = originOf(event);
    if (setEvents.includes(event.name)) set = event;
    await steps[event.name]?.(state, event, head);
    chained = headAt(event);
    onRead?.(event.position);
  }
  await reach(undefined);
  return found;
}

const setEvents: readonly EventName[] = ['EmployeeSetReplaced', 'EmployeeSetConfirmed'];

interface Reached {
  readonly head: Origin | undefined;
  readonly set: LoadedEvent | undefined;
  readonly rows: AuditRows;
}

async function momentOf(
  companyId: number,
  moment: Moment,
  { head, set, rows }: Reached,
): Promise<CompanyAt | undefined> {
  if (head === undefined || ('revision' in moment && moment.revision > head.revision)) return undefined;
  const employees = set === undefined ? 0 : ((await setSummary(set))?.total ?? 0);
  return { companyId, head, until: 'at' in moment ? moment.at : head.recordedAt, employees, rows };
}
