import type { ManagerRoleEntry, PortalUserRenamed } from '@rollcall/contracts';
import {
  afterManagerRoles,
  type CompanyState,
  managerCounts,
  managers,
  noBodySha256,
} from '@rollcall/domain';
import { importedIn } from '../operations/manager-difference.js';
import { type EventReader, LogCorrupt } from '../ports/event-log.js';
import type { UndoEmployeesDeps, UndoneImport } from './undo-employees.js';
import { mostNamed, type NamedList, type UndoDecision, type UndoHandler } from './undo-handler.js';

type UndoManagersDeps = Pick<UndoEmployeesDeps, 'log' | 'findRows'>;
type Names = ReadonlyMap<number, PortalUserRenamed['values']>;

export class ManagersUndo implements UndoHandler {
  readonly #deps: UndoManagersDeps;
  readonly #import: UndoneImport;
  readonly #names: Names;

  private constructor(deps: UndoManagersDeps, undone: UndoneImport, names: Names) {
    this.#deps = deps;
    this.#import = undone;
    this.#names = names;
  }

  static async open(deps: UndoManagersDeps, undone: UndoneImport): Promise<ManagersUndo> {
    return new ManagersUndo(deps, undone, await namesBefore(deps.log, undone));
  }

  decide(state: CompanyState, operationId: string): UndoDecision {
    const { found, force } = this.#import;
    const undo = managers.undoManagerRoles(
      {
        before: found.before.managers,
        after: found.reached.state.managers,
        operationId,
        bodySha256: noBodySha256,
        force,
        namesOf: (number) => this.#names.get(number) ?? { FirstName: '', LastName: '' },
      },
      state.managers,
    );
    const later = [
      ...undo.later.roles.map((key) => `role ${key}`),
      ...undo.later.users.map((number) => `user ${number}`),
      ...undo.later.divisions.map((number) => `division ${number}`),
    ];
    if (undo.kind === 'refused') return { kind: 'refused', later };
    const { event } = undo;
    const listed = event.name === 'ManagerRolesImported' ? event.data : nothing;
    return {
      kind: 'events',
      later,
      counts: managerCounts(event.data),
      changes: changesOf(event, state.managers),
      returning: listed.rolesEnabled.map(roleId),
      changed: listed.usersLocked.map((number) => `user ${number}`),
      removed: listed.rolesDisabled.map(roleId),
      events: [event],
      after: (now, stored) => afterManagerRoles(now, event, stored),
    };
  }

  async named(ids: readonly string[]): Promise<NamedList> {
    const { companyId, found } = this.#import;
    const shown = ids.slice(0, mostNamed);
    const departments = new Map(
      [...found.reached.state.managers.departments.values()].map(({ number, dimension, name }) => [
        number,
        `${dimension} ${name}`,
      ]),
    );
    const users = shown.map((id) => (id.startsWith('division') ? 0 : Number(/\d+$/.exec(id)?.[0])));
    const rows = await this.#deps.findRows('managers', companyId, users);
    const named = shown.map((id, at) => {
      const [, department] = /^(?:role|division) (\d+)/.exec(id) ?? [];
      const parts = [departments.get(Number(department)), rows[at]?.['Email']];
      const name = parts.filter((part) => typeof part === 'string').join(' ');
      return { id, name: name === '' ? null : name };
    });
    return { count: ids.length, named };
  }
}

const nothing = { rolesEnabled: [], usersLocked: [], rolesDisabled: [] };

const roleId = ({ department, user }: Omit<ManagerRoleEntry, 'primaryContact'>): string =>
  `role ${department}:${user}`;

const roleLists = ['rolesEnabled', 'rolesDisabled', 'rolesChanged'] as const;
const userLists = ['usersLocked', 'usersUnlocked', 'usersRenamed'] as const;

function changesOf(event: managers.ManagerRolesEvent, now: managers.ManagerRolesState) {
  const data = event.name === 'ManagerRolesImported' ? event.data : undefined;
  const counts = [...roleLists, ...userLists].map((list) => [list, data?.[list].length ?? 0] as const);
  const moved =
    data?.hierarchy.filter(({ department, parent }) => now.hierarchy.get(department) !== parent) ?? [];
  const parentsChanged = moved.length + (data?.parentsRemoved.length ?? 0);
  return { ...Object.fromEntries(counts), parentsChanged };
}

/** Of users whom the import has renamed, from the log. `LogCorrupt` where it lacks some. */
async function namesBefore(log: EventReader, { companyId, found }: UndoneImport): Promise<Names> {
  const names = new Map<number, PortalUserRenamed['values']>();
  const wanted = renamedUsers(found);
  const back = { from: found.revision - 1, backwards: true };
  for await (const recorded of log.readStream(`company-${companyId}`, back)) {
    if (wanted.size === 0) break;
    const older = await importedIn(log, recorded);
    if (older === undefined) continue;
    for (const { number, values } of [...older.usersRenamed, ...older.usersCreated])
      if (wanted.delete(number))
        names.set(number, { FirstName: values.FirstName, LastName: values.LastName });
  }
  if (wanted.size > 0) throw new LogCorrupt(`The stream company-${companyId} lacks names of portal users`);
  return names;
}

function renamedUsers({ before, reached }: UndoneImport['found']): Set<number> {
  const after = reached.state.managers.users;
  const users = [...before.managers.users].filter(([id, { digest }]) => after.get(id)?.digest !== digest);
  return new Set(users.map(([, { number }]) => number));
}
