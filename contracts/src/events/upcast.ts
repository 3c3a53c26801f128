import {
  catalogue,
  checkEventData,
  isEventName,
  type CheckResult,
  type EventData,
  type EventName,
} from './catalogue.js';

export interface StoredType {
  readonly name: EventName;
  readonly version: number;
}

/** Turns the data of one version into the data of the next. */
export type Upcaster = (data: unknown) => unknown;
/** By event name and the version that is read. */
export type Upcasters = { readonly [N in EventName]?: { readonly [version: number]: Upcaster } };

/** Every step from an older version to the one after it. Empty as long as every event is at version 1. */
const upcasters: Upcasters = {};

const VERSIONED = /^\w+\.v[1-9][0-9]{0,5}$/;

/** The type under which an event of the current version is stored: `{name}`, and `{name}.v{n}` from version 2 on. */
export function storedTypeOf(name: EventName): string {
  const version: number = catalogue[name].version;
  return version === 1 ? name : `${name}.v${version}`;
}

/** The name and version in a stored type; undefined for a name that is not in the catalogue, or a version to come. */
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

/** Stored data of any version as data of the current one, checked against the catalogue. The problem names no value. */
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
