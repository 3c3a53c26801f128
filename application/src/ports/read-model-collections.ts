/** Each document belongs to one stream. */
export interface CollectionDeclaration {
  readonly name: string;
  /** The kind of streams whose events write it. */
  readonly owner: 'company' | 'operation' | 'invitation' | 'survey' | 'any';
  /** Names of its indexes; each is ordered by a tuple of this many numbers. */
  readonly indexes: Readonly<Record<string, number>>;
}

interface VersionedCollection extends CollectionDeclaration {
  readonly version: number;
}

const collection = (
  name: string,
  version: number,
  owner: CollectionDeclaration['owner'],
  indexes: CollectionDeclaration['indexes'] = {},
): VersionedCollection => ({ name, version, owner, indexes });

/**
 * All that the projector writes, in the order of an event's writes. Raise a collection's version by one whenever the same events give other
 * documents, keys or index entries; `test/frozen` fails until then. Never reuse a number.
 */
export const readModelCollections: readonly VersionedCollection[] = [
  collection('companies', 2, 'company'),
  collection('surveys', 1, 'survey'),
  collection('employee-blocks', 2, 'company'),
  collection('employee-changes', 1, 'company'),
  collection('employee-ids', 1, 'company'),
  collection('employee-sets', 3, 'company'),
  collection('manager-users', 2, 'company'),
  collection('manager-departments', 1, 'company'),
  collection('manager-roles', 1, 'company'),
  collection('manager-sets', 1, 'company'),
  collection('pending-imports', 1, 'company'),
  collection('invitation-plans', 1, 'company', { position: 1 }),
  collection('invitation-progress', 5, 'invitation', { due: 2, allDue: 1, ended: 3, allEnded: 2 }),
  collection('invitation-holds', 1, 'company'),
  collection('invitation-templates', 1, 'company'),
  collection('api-call-attempts', 1, 'operation'),
  /** Owned by the company's stream, or by the operation's where the call was refused. */
  collection('api-calls', 3, 'any', { time: 1, state: 2, companyState: 3 }),
  /** [stream] -> revision and chain value of its last event that is fully projected. */
  collection('streams', 3, 'any'),
];

/** The version of all read models. Another version is built next to the existing one. */
export const readModelsVersion = readModelCollections
  .map(({ name, version }) => `${name}:${version}`)
  .join(' ');
