import type { LoadedEvent } from '../event-store/loaded-event.js';

export const auditParts = [
  'settings',
  'templates',
  'employees',
  'users',
  'departments',
  'roles',
  'surveys',
] as const;
export type AuditPart = (typeof auditParts)[number];

export type AuditFields = Readonly<Record<string, unknown>>;

/** The event that set a value, and who caused it. */
export interface Origin {
  readonly stream: string;
  readonly revision: number;
  readonly recordedAt: string;
  readonly operationId: string;
  readonly userId: number | null;
  readonly username: string;
  /** The import that the operation takes back. */
  readonly undoes?: string;
}

/** One thing of a company at a moment: a setting, a template, an employee, a portal user, a department, a role, a survey. */
export interface AuditRow {
  readonly part: AuditPart;
  readonly id: string;
  readonly by: Origin;
  readonly open: AuditFields;
  /** The personal values as JSON text of one object; null where they are masked, undefined where there are none. */
  readonly personal?: string | null;
}

export interface FieldChange {
  readonly field: string;
  /** Undefined: absent. */
  readonly before: unknown;
  readonly after: unknown;
}

export const MASK = '***';

export const originOf = ({ stream, revision, metadata }: LoadedEvent): Origin => {
  const { recordedAt, operationId, userId, username, undoes } = metadata;
  const by = { stream, revision, recordedAt, operationId, userId, username };
  return undoes === undefined ? by : { ...by, undoes };
};

const isFields = (value: unknown): value is AuditFields => typeof value === 'object' && value !== null;

export const fieldsOf = (value: unknown): AuditFields => (isFields(value) ? value : {});

export const personalFields = ({ personal }: Pick<AuditRow, 'personal'>): AuditFields =>
  fieldsOf(JSON.parse(personal ?? '{}'));

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function changesOf(before: AuditFields, after: AuditFields): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((field) => !same(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
}

const masked = ({ field, before, after }: FieldChange): FieldChange => ({
  field,
  before: before === undefined ? undefined : MASK,
  after: after === undefined ? undefined : MASK,
});

type Values = Pick<AuditRow, 'open' | 'personal'>;
const nothing: Values = { open: {} };

/** Field by field; personal values are masked unless `reveal`. An InvitationDate counts when it comes: later values have none. */
export function fieldChanges(
  before: Values = nothing,
  after: Values = nothing,
  reveal = false,
): FieldChange[] {
  const isChange = before !== nothing && after !== nothing;
  const personal = changesOf(personalFields(before), personalFields(after)).filter(
    ({ field }) => !isChange || field !== 'InvitationDate',
  );
  return [...changesOf(before.open, after.open), ...(reveal ? personal : personal.map(masked))];
}
