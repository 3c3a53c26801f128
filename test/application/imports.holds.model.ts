/** An employee list, or manager roles where `ids` is null. `of` is its number in the history. */
export interface ModelImport {
  readonly of: number;
  readonly ids: readonly number[] | null;
}

/** `real`: the import's own outcome; `other`: one that somebody recorded of another set. */
export type Outcome = 'real' | 'other';

interface Pending extends ModelImport {
  hold: { outcome: Outcome; since: number; isApproved: boolean; isOutdated: boolean } | null;
}

export type Status = 'pending' | 'done' | 'failed' | 'cancelled' | 'rejected';

/** `of` is the number of the command; `target` that of an import. */
export type Command = { readonly of: number } & (
  | { readonly what: 'import'; readonly ids: readonly number[] | null; readonly isAsync: boolean }
  | { readonly what: 'limit'; readonly limit: number | null; readonly forMs: number | null }
  | { readonly what: 'over'; readonly overLimit: 'hold' | 'refuse' }
  | { readonly what: 'run' }
  | { readonly what: 'approve' | 'reject'; readonly target: number; readonly shown: Outcome | null }
  | { readonly what: 'cancel' | 'hold anew'; readonly target: number }
  | { readonly what: 'retry'; readonly target: number; readonly force: boolean }
);

export type CommandOnImport = Extract<Command, { readonly target: number }>;

const holdMs = 7 * 86_400_000;
export const limitFrom = 4;

/** A company as plain sets and a queue. Copies of it are made with `structuredClone`. */
export interface Model {
  now: number;
  present: number[];
  queue: Pending[];
  limit: { always: number | null; raised: { limit: number | null; until: number } | null };
  overLimit: 'hold' | 'refuse';
  /** Of everything that was queued. */
  imports: Record<number, { ids: readonly number[] | null; status: Status }>;
  /** The newest accepted import, by kind. */
  accepted: { employees: number; managers: number };
}

export const newModel = (now: number): Model => ({
  now,
  present: [1, 2, 3, 4],
  queue: [],
  limit: { always: 25, raised: null },
  overLimit: 'hold',
  imports: {},
  accepted: { employees: -1, managers: -1 },
});

interface Change {
  readonly inserted: number;
  readonly removed: number;
  /** That is passed; null: none. */
  readonly passed: number | null;
}

function changeOf({ present, limit, now }: Model, ids: readonly number[]): Change {
  const inserted = ids.filter((id) => !present.includes(id)).length;
  const removed = present.filter((id) => !ids.includes(id)).length;
  const inForce = limit.raised !== null && now < limit.raised.until ? limit.raised.limit : limit.always;
  const isOver =
    inForce !== null &&
    present.length >= limitFrom &&
    Math.max(inserted, removed) > (inForce / 100) * present.length;
  return { inserted, removed, passed: isOver ? inForce : null };
}

const kindOf = ({ ids }: Pick<ModelImport, 'ids'>) => (ids === null ? 'managers' : 'employees');

function queued(model: Model, { of, ids }: ModelImport): string {
  model.queue.push({ of, ids, hold: null });
  model.imports[of] = { ids, status: 'pending' };
  model.accepted[kindOf({ ids })] = of;
  return `ImportQueued ${of}`;
}

function ended(model: Model, of: number, status: Status, event: string): string[] {
  model.queue = model.queue.filter((each) => each.of !== of);
  const own = model.imports[of];
  if (own) own.status = status;
  return [`${event} ${of}`];
}

function held(model: Model, pending: Pending, { inserted, removed, passed }: Change): string {
  pending.hold = { outcome: 'real', since: model.now, isApproved: false, isOutdated: false };
  return `ImportHeld ${pending.of} real ${inserted} ${removed} ${model.present.length} ${passed}`;
}

function carriedOut(model: Model, { of, ids }: ModelImport): string[] {
  if (ids === null) return ended(model, of, 'done', 'ManagerRoles');
  const { inserted, removed } = changeOf(model, ids);
  model.present = [...ids];
  const isSame = inserted + removed === 0;
  const event = isSame ? 'EmployeeSetConfirmed' : `EmployeeSetReplaced ${inserted} ${removed}`;
  return ended(model, of, 'done', event);
}

/** Of a call: at once where nothing waits, nobody asked for the queue, and no limit is passed. */
function accept(model: Model, call: ModelImport, isAsync: boolean): string[] {
  if (isAsync || model.queue.length > 0) return [queued(model, call)];
  const change = changeOf(model, call.ids ?? model.present);
  if (change.passed === null) {
    model.accepted[kindOf(call)] = call.of;
    return carriedOut(model, call);
  }
  if (model.overLimit === 'refuse') return [];
  const event = queued(model, call);
  return [event, ...model.queue.map((pending) => held(model, pending, change))];
}

function run(model: Model): string[] {
  const [first] = model.queue;
  if (first?.hold?.isApproved === false) return expired(model, first.of, first.hold.since);
  return first ? runFirst(model, first) : [];
}

const expired = (model: Model, of: number, since: number): string[] =>
  model.now < since + holdMs ? [] : ended(model, of, 'cancelled', 'ImportCancelled system');

function runFirst(model: Model, first: Pending): string[] {
  const change = changeOf(model, first.ids ?? model.present);
  const isApproved = first.hold?.outcome === 'real' && !first.hold.isOutdated;
  if (change.passed === null || isApproved) return carriedOut(model, first);
  if (model.overLimit === 'hold') return [held(model, first, change)];
  return ended(model, first.of, 'failed', 'ImportFailed');
}

type Decision = Extract<Command, { what: 'approve' | 'reject' }>;

function decide(model: Model, { what, target, shown }: Decision): string[] {
  const hold = model.queue.find(({ of }) => of === target)?.hold;
  if (!hold || hold.isApproved) return [];
  if (what === 'reject') return ended(model, target, 'rejected', 'ImportRejected');
  if (shown !== null && shown !== hold.outcome) return [];
  hold.isApproved = true;
  return [`ImportApproved ${target} ${hold.outcome}`];
}

function retry(model: Model, { of, target, force }: Extract<Command, { what: 'retry' }>): string[] {
  const own = model.imports[target];
  if (own === undefined || own.status === 'pending' || own.status === 'done') return [];
  if (!force && model.accepted[kindOf(own)] !== target) return [];
  return [queued(model, { of, ids: own.ids })];
}

function holdAnew(model: Model, target: number): string[] {
  const own = model.queue.find(({ of }) => of === target);
  if (!own?.hold) return [];
  own.hold = { outcome: 'other', since: model.now, isApproved: false, isOutdated: false };
  return [`ImportHeld ${target} other 0 0 0 0`];
}

function configure(model: Model, command: Extract<Command, { what: 'limit' | 'over' }>): string[] {
  const before = JSON.stringify([model.limit, model.overLimit]);
  if (command.what === 'over') model.overLimit = command.overLimit;
  else if (command.forMs === null) model.limit = { always: command.limit, raised: null };
  else model.limit.raised = { limit: command.limit, until: model.now + command.forMs };
  const isSame = before === JSON.stringify([model.limit, model.overLimit]);
  if (isSame) return [];
  for (const { hold } of model.queue) if (hold) hold.isOutdated = true;
  return [`CompanyConfigured ${command.of}`];
}

const cancel = (model: Model, target: number): string[] =>
  model.queue.some(({ of }) => of === target)
    ? ended(model, target, 'cancelled', 'ImportCancelled user')
    : [];

function stepOnImport(model: Model, command: CommandOnImport): string[] {
  switch (command.what) {
    case 'approve':
    case 'reject':
      return decide(model, command);
    case 'cancel':
      return cancel(model, command.target);
    case 'hold anew':
      return holdAnew(model, command.target);
    case 'retry':
      return retry(model, command);
    default:
      return command satisfies never;
  }
}

/** The events that a command appends, after which the model is as the company. */
export function step(model: Model, command: Command): string[] {
  if ('target' in command) return stepOnImport(model, command);
  switch (command.what) {
    case 'import':
      return accept(model, command, command.isAsync);
    case 'limit':
    case 'over':
      return configure(model, command);
    case 'run':
      return run(model);
    default:
      return command satisfies never;
  }
}
