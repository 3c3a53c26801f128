import { ManagerImportBody } from '@rollcall/contracts';
import { IgnoredNames } from '../json/ignored-names.js';
import { isArray, isObject } from '../json/json-shapes.js';
import type { ImportManagerRoles } from './commands.js';
import { decide, type ManagerImportState, type ManagerRolesEvent } from './decide.js';
import type { SentManagerImport } from './read-import.js';
import { roleMembers } from './read-role.js';
import type { ManagerImportRejection } from './rejections.js';
import type { ManagerImportCounts } from './result-text.js';

/** What an import would do. */
export interface ManagerImportRehearsal extends ManagerImportCounts {
  /** Numbers of users; their addresses stand in the read models. */
  readonly usersLocked: readonly number[];
  readonly usersUnlocked: readonly number[];
  /** Unknown names and how many objects carry them. */
  readonly ignoredFields: Readonly<Record<string, number>>;
}

export type ManagerRehearsalResult =
  | { readonly kind: 'rehearsed'; readonly rehearsal: ManagerImportRehearsal }
  | { readonly kind: 'refused'; readonly rejection: ManagerImportRejection };

/** Decides without a consequence (docs/contract, "Dry run"). */
export function rehearse(command: ImportManagerRoles, state: ManagerImportState): ManagerRehearsalResult {
  const decision = decide(command, state);
  if (decision.kind === 'refused') return decision;
  const { reading } = command;
  const ignored = reading.status === 'valid' ? ignoredFields(reading.import) : {};
  return { kind: 'rehearsed', rehearsal: rehearsalOf(decision.events[0], ignored) };
}

function rehearsalOf(
  { name, data }: ManagerRolesEvent,
  ignored: ManagerImportRehearsal['ignoredFields'],
): ManagerImportRehearsal {
  const { created, disabled, locked } = data;
  const users =
    name === 'ManagerRolesImported'
      ? { usersLocked: data.usersLocked, usersUnlocked: data.usersUnlocked }
      : { usersLocked: [], usersUnlocked: [] };
  return { created, disabled, locked, ...users, ignoredFields: ignored };
}

const importMembers: ReadonlySet<string> = new Set(Object.keys(ManagerImportBody.properties));

function ignoredFields({ members }: SentManagerImport): Readonly<Record<string, number>> {
  const names = new IgnoredNames();
  const count = (each: object, known: ReadonlySet<string>): void => {
    for (const name of Object.keys(each)) if (!known.has(name)) names.add(name);
  };
  count(members, importMembers);
  const roles = members['ManagerRoles'];
  if (isArray(roles)) for (const role of roles) if (isObject(role)) count(role, roleMembers);
  return names.counts();
}
