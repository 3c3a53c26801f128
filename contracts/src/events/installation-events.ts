import { Type, type Static } from 'typebox';

/** On `installation`, and the first event of a log: which installation it is, and with which key its digests are made. */
export const InstallationCreated = Type.Object({
  installationId: Type.String({ format: 'uuid' }),
  /** A keyed hash of a constant, hex: whether a digest key is this log's can be told, and nothing of the key. */
  keyCheck: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type InstallationCreated = Static<typeof InstallationCreated>;

/** On `installation`: from now on these stored types may stand in the log. A program that does not know one is too old for it. */
export const CatalogueExtended = Type.Object({ types: Type.Array(Type.String({ minLength: 1 })) });
export type CatalogueExtended = Static<typeof CatalogueExtended>;
