import { invitationCollections } from './documents.js';
import { readPlannedDue } from './read-invitations.js';
import { readRow } from '../read-models/employee-rows.js';
import type { ReadModelReader } from '../ports/read-models.js';
import type { CompanySettings, EmployeeValues, InvitationTemplateSet } from '@rollcall/contracts';
import { isPresent, templates, valuesInForce, type CompanyState, type Digester } from '@rollcall/domain';

export interface DueInvitation {
  readonly companyId: number;
  /** The employee's. */
  readonly number: number;
}

/** Everything that a mail needs, at one state of the company. */
export interface Recipient {
  readonly settings: CompanySettings;
  readonly held: boolean;
  /** The `invitationDue` of the employee's `added` entry; null where none is planned. */
  readonly plannedDueAt: string | null;
  /** Undefined where the employee has left. */
  readonly employee: EmployeeValues | undefined;
}

type ReadModels = Pick<ReadModelReader, 'get' | 'find'>;

async function read<T>(
  readModels: ReadModels,
  collection: string,
  key: readonly number[],
): Promise<T | undefined> {
  const json = await readModels.get(collection, key);
  return json && (parsed(json) as T);
}

const parsed = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString());

/**
 * Who is to be invited, as the company's state says: it comes from the log, and what the read models say of the employee counts
 * only where its digests are those of the state. `behind` where they are not there yet.
 */
export async function recipientOf(
  { readModels, digester }: { readonly readModels: ReadModels; readonly digester: Digester },
  state: CompanyState,
  { companyId, number }: DueInvitation,
): Promise<Recipient | 'unknown-company' | 'behind'> {
  const { settings, held, employees } = state;
  if (settings.status === 'unconfigured') return 'unknown-company';
  const planned = await readPlannedDue(readModels, companyId, number);
  const known = { settings: settings.settings, held, plannedDueAt: planned ?? null };
  if (!isPresent(employees, number)) return { ...known, employee: undefined };
  const row = await readRow(readModels, companyId, number);
  const employee = valuesInForce(employees, digester, number, row && parsed(row));
  return employee ? { ...known, employee } : 'behind';
}

/** Names the language of the employee's mail; empty for that of the installation. */
export const languageOf = ({ settings, employee }: Recipient): string =>
  String(templates.languageOf(settings.languages, employee?.Dimensions)?.id ?? '');

/** The template in the employee's language, and who sends it where that is not the installation. */
export async function templateFor(
  readModels: ReadModels,
  companyId: number,
  { settings, employee }: Recipient,
): Promise<Pick<InvitationTemplateSet, 'sender' | 'subject' | 'text' | 'html'>> {
  const language = templates.languageOf(settings.languages, employee?.Dimensions);
  if (!language) return { sender: null, ...templates.defaultTemplate(undefined) };
  const set = await read<InvitationTemplateSet>(readModels, invitationCollections.templates, [
    companyId,
    language.id,
  ]);
  return templates.templateInForce(language, set);
}
