import { invitationCollections } from './documents.js';
import { fromJson } from '../read-models/documents.js';
import { readRows } from '../read-models/employee-rows.js';
import { readPlannedDues } from '../read-models/invitation-plans.js';
import type { ReadModelReader } from '../ports/read-models.js';
import type { CompanySettings, EmployeeValues, InvitationTemplateSet, Language } from '@rollcall/contracts';
import { isPresent, templates, valuesInForce, type CompanyState } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';

export interface DueInvitation {
  readonly companyId: number;
  readonly number: number;
}

export interface Recipient {
  readonly settings: CompanySettings;
  readonly held: boolean;
  /** `invitationDue` of the employee's `added` entry; null where none is planned. */
  readonly plannedDueAt: string | null;
  /** Undefined where the employee has left. */
  readonly employee: EmployeeValues | undefined;
}

export interface ReadEmployees {
  readonly plannedDue: ReadonlyMap<number, string>;
  readonly rows: ReadonlyMap<number, Uint8Array | undefined>;
  readonly begun: ReadonlySet<number>;
}

export async function readEmployees(
  readModels: Pick<ReadModelReader, 'find' | 'get' | 'getMany'>,
  companyId: number,
  numbers: readonly number[],
): Promise<ReadEmployees> {
  const keys = numbers.map((number) => [companyId, number] as const);
  const [plannedDue, rows, begun] = await Promise.all([
    readPlannedDues(readModels, companyId, numbers),
    readRows(readModels, companyId, numbers),
    readModels.getMany(invitationCollections.progress, keys, (document) => document !== undefined),
  ]);
  return {
    plannedDue,
    rows: new Map(numbers.map((number, at) => [number, rows[at]])),
    begun: new Set(numbers.filter((_, at) => begun[at])),
  };
}

/** By the company's state from the log. The read model's row counts only with matching digests; `behind` until then. */
export function recipientOf(
  digester: Digester,
  { settings, held, employees }: CompanyState,
  number: number,
  { plannedDue, rows }: ReadEmployees,
): Recipient | 'unknown-company' | 'behind' {
  if (settings.status === 'unconfigured') return 'unknown-company';
  const known = { settings: settings.settings, held, plannedDueAt: plannedDue.get(number) ?? null };
  if (!isPresent(employees, number)) return { ...known, employee: undefined };
  const row = rows.get(number);
  const employee = valuesInForce(employees, digester, number, fromJson(row));
  return employee ? { ...known, employee } : 'behind';
}

/** Undefined for the installation's. */
export const languageOf = ({ settings, employee }: Recipient): Language | undefined =>
  templates.languageOf(settings.languages, employee?.Dimensions);

/** With the company's sender if it has one. */
export async function templateFor(
  readModels: Pick<ReadModelReader, 'get'>,
  companyId: number,
  language: Language | undefined,
): Promise<Pick<InvitationTemplateSet, 'sender' | 'subject' | 'text' | 'html'>> {
  if (!language) return { sender: null, ...templates.defaultTemplate(undefined) };
  const stored = await readModels.get(invitationCollections.templates, [companyId, language.id]);
  return templates.templateInForce(language, fromJson(stored) as InvitationTemplateSet | undefined);
}
