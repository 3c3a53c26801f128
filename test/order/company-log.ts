import { loadEvent, type EventReader, type LoadedEvent } from '@rollcall/application';
import type { ImportKind } from '@rollcall/contracts';

/** What a company's stream says of one import. */
export interface Logged {
  readonly operationId: string;
  readonly kind: ImportKind;
  readonly what: 'queued' | 'done' | 'failed';
}

const terminal: Readonly<Record<string, ImportKind>> = {
  EmployeeSetReplaced: 'employees',
  EmployeeSetConfirmed: 'employees',
  ManagerRolesImported: 'managers',
  ManagerRolesConfirmed: 'managers',
};

/** The imports of a company's stream in their order. */
export async function companyLog(log: EventReader, companyId: number): Promise<Logged[]> {
  const found: Logged[] = [];
  for await (const recorded of log.readStream(`company-${companyId}`)) {
    const logged = await loggedOf(loadEvent(log, recorded));
    if (logged) found.push(logged);
  }
  return found;
}

async function loggedOf(event: LoadedEvent): Promise<Logged | undefined> {
  const { operationId } = event.metadata;
  const kind = terminal[event.name];
  if (kind) return { operationId, kind, what: 'done' };
  if (event.name === 'ImportQueued')
    return { operationId, kind: (await event.data('ImportQueued')).kind, what: 'queued' };
  if (event.name !== 'ImportFailed' && event.name !== 'ImportCancelled') return undefined;
  const data = await event.data(event.name);
  return { operationId: data.operationId, kind: data.kind, what: 'failed' };
}

/** Follows a stream and notes where its order breaks the rules of "Imports in order". */
class OrderCheck {
  readonly problems: string[] = [];
  readonly #pending: string[] = [];
  readonly #ended = new Set<string>();

  see({ operationId, what }: Logged): void {
    if (what === 'queued') this.#pending.push(operationId);
    else this.#end(operationId, what);
  }

  #end(operationId: string, what: 'done' | 'failed'): void {
    if (what === 'failed') this.problems.push(`${operationId} failed`);
    if (this.#ended.has(operationId)) this.problems.push(`${operationId} ended twice`);
    this.#ended.add(operationId);
    const place = this.#pending.indexOf(operationId);
    // One caller for each company: a manager import never runs at once beside any pending import of the same caller.
    if (place < 0 && this.#pending.length > 0)
      this.problems.push(`${operationId} ran at once beside pending imports`);
    if (place > 0) this.problems.push(`${operationId} ended before ${this.#pending[0]}`);
    if (place >= 0) this.#pending.splice(place, 1);
  }

  get left(): string[] {
    return this.#pending.map((operationId) => `${operationId} never ended`);
  }
}

/** Where the order of a stream breaks the rules; nothing for a stream that keeps them. */
export function orderProblems(logged: readonly Logged[]): string[] {
  const check = new OrderCheck();
  for (const one of logged) check.see(one);
  return [...check.problems, ...check.left];
}
