import { ManagerImportBody } from '@rollcall/contracts';
import { type IgnoredFields, IgnoredNames, isArray, isObject } from '@rollcall/employee-lists/text';
import type { ImportManagerRoles } from './commands.js';
import { decide, type ManagerImportState, type ManagerRolesEvent } from './decide.js';
import type { ManagerImportReading } from './read-import.js';
import { roleMembers } from './read-role.js';
import type { ManagerImportRejection } from './rejections.js';
import type { ManagerImportCounts } from './result-text.js';

export interface ManagerImportRehearsal extends ManagerImportCounts {
  readonly event: ManagerRolesEvent;
  /** User numbers; the read models have their addresses. */
  readonly usersLocked: readonly number[];
  readonly usersUnlocked: readonly number[];
  readonly ignoredFields: IgnoredFields;
}

export type ManagerRehearsalResult =
  | { readonly kind: 'rehearsed'; readonly rehearsal: ManagerImportRehearsal }
  | { readonly kind: 'refused'; readonly rejection: ManagerImportRejection };

/** docs/contract, "Dry run". */
export function rehearse(command: ImportManagerRoles, state: ManagerImportState): ManagerRehearsalResult {
  const decision = decide(command, state);
  if (decision.kind === 'refused') return decision;
  return { kind: 'rehearsed', rehearsal: rehearsalOf(decision.events[0], ignoredFields(command.reading)) };
}

function rehearsalOf(event: ManagerRolesEvent, ignored: IgnoredFields): ManagerImportRehearsal {
  const { name, data } = event;
  const { created, disabled, locked } = data;
  const users =
    name === 'ManagerRolesImported'
      ? { usersLocked: data.usersLocked, usersUnlocked: data.usersUnlocked }
      : { usersLocked: [], usersUnlocked: [] };
  return { event, created, disabled, locked, ...users, ignoredFields: ignored };
}

const importMembers: ReadonlySet<string> = new Set(Object.keys(ManagerImportBody.properties));

/** Of the body and its entries. */
export function ignoredFields(reading: ManagerImportReading): IgnoredFields {
  if (reading.status === 'invalid') return {};
  const { members } = reading.import;
  const names = new IgnoredNames();
  const count = (each: object, known: ReadonlySet<string>): void => {
    for (const name of Object.keys(each)) if (!known.has(name)) names.add(name);
  };
  count(members, importMembers);
  const roles = members['ManagerRoles'];
  if (isArray(roles)) for (const role of roles) if (isObject(role)) count(role, roleMembers);
  return names.counts();
}
