/** A collection of documents. Each document in it belongs to one stream. */
export interface CollectionDeclaration {
  readonly name: string;
  /** Of what kind the streams are whose events write it. */
  readonly owner: 'company' | 'operation' | 'invitation' | 'survey' | 'any';
  /** Names of the indexes by which it is found, each in ascending order of a tuple of this many numbers. */
  readonly indexes: Readonly<Record<string, number>>;
}

const collection = (
  name: string,
  owner: CollectionDeclaration['owner'],
  indexes: CollectionDeclaration['indexes'] = {},
): CollectionDeclaration => ({ name, owner, indexes });

/** All that the projector writes, in the order in which an event writes them where it writes several. */
export const readModelCollections: readonly CollectionDeclaration[] = [
  collection('companies', 'company'),
  collection('surveys', 'survey'),
  collection('employee-blocks', 'company'),
  collection('employee-order-runs', 'company'),
  collection('employee-order', 'company'),
  collection('employee-sets', 'company'),
  collection('manager-users', 'company'),
  collection('manager-departments', 'company'),
  collection('manager-roles', 'company'),
  collection('manager-sets', 'company'),
  collection('pending-imports', 'company'),
  collection('invitation-plans', 'company', { position: 1 }),
  collection('invitation-progress', 'invitation', { due: 2 }),
  collection('invitation-holds', 'company'),
  collection('invitation-templates', 'company'),
  collection('api-call-attempts', 'operation'),
  /** A row belongs to the company's stream, or to the operation's where the call was refused. */
  collection('api-calls', 'any'),
  /** [stream] -> the revision and the chain value of its last event that is projected whole. */
  collection('streams', 'any'),
];
