import {
  catalogue,
  checkEventData,
  isEventName,
  type CheckResult,
  type EventData,
  type EventName,
} from './catalogue.js';

interface StoredType {
  readonly name: EventName;
  readonly version: number;
}

type Upcaster = (data: unknown) => unknown;
type Upcasters = { readonly [N in EventName]?: { readonly [version: number]: Upcaster } };

/** Versions to which the next one added members at the end of the data. */
const addedMembers: {
  readonly [N in EventName]?: { readonly [version: number]: Readonly<Record<string, unknown>> };
} = {
  // The second version knows more roles.
  ApiUserCreated: { 1: {} },
  EmployeeSetReplaced: { 1: { restored: [] } },
  ImportQueued: { 1: { preview: null, keepsRenames: false } },
};

const isObject = (data: unknown): data is object => typeof data === 'object' && data !== null;

const settingsAdded = { batchLimitFrom: 100, overLimit: 'refuse', batchLimitThen: null };

const upcasters: Upcasters = {
  ...byAddedMembers(),
  CompanyConfigured: {
    1: (data) =>
      isObject(data) && 'settings' in data && isObject(data.settings)
        ? { ...data, settings: { ...data.settings, ...settingsAdded } }
        : data,
  },
};

function byAddedMembers(): Upcasters {
  return Object.fromEntries(
    Object.entries(addedMembers).map(([name, versions]) => [
      name,
      Object.fromEntries(
        Object.entries(versions).map(([version, members]) => [
          version,
          (data: unknown) => (isObject(data) ? { ...data, ...members } : data),
        ]),
      ),
    ]),
  );
}

const VERSIONED = /^\w+\.v[1-9][0-9]{0,5}$/;

export function storedTypeOf(name: EventName): string {
  const version: number = catalogue[name].version;
  return version === 1 ? name : `${name}.v${version}`;
}

export function parseStoredType(type: string): StoredType | undefined {
  if (isEventName(type)) return { name: type, version: 1 };
  if (!VERSIONED.test(type)) return undefined;
  const dot = type.indexOf('.');
  const name = type.slice(0, dot);
  const version = Number(type.slice(dot + 2));
  return isEventName(name) && version > 1 && version <= catalogue[name].version
    ? { name, version }
    : undefined;
}

/** What an older version lacks, where later ones only added members at the end; else undefined. */
export function membersAddedSince({
  name,
  version,
}: StoredType): Readonly<Record<string, unknown>> | undefined {
  let members: Readonly<Record<string, unknown>> = {};
  for (let step = version; step < catalogue[name].version; step++) {
    const added = addedMembers[name]?.[step];
    if (added === undefined) return undefined;
    members = { ...members, ...added };
  }
  return members;
}

/** Any stored version as the current one, checked. The problem names no value. */
export function upcastEventData<N extends EventName>(
  stored: { readonly name: N; readonly version: number },
  data: unknown,
  steps: Upcasters = upcasters,
): CheckResult<EventData<N>> {
  let current = data;
  for (let version = stored.version; version < catalogue[stored.name].version; version++) {
    const step = steps[stored.name]?.[version];
    if (step === undefined) return { ok: false, problem: `${stored.name} version ${version} has no upcast` };
    current = step(current);
  }
  return checkEventData(stored.name, current);
}
