import { Type, type Static } from 'typebox';

/** The first event of a log, on `installation`: its id, and a check of its digest key. */
export const InstallationCreated = Type.Object({
  installationId: Type.String({ format: 'uuid' }),
  /** A keyed hash of a constant, hex: identifies the digest key without revealing it. */
  keyCheck: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type InstallationCreated = Static<typeof InstallationCreated>;

/** On `installation`: these stored types may follow. A program that does not know one is too old for the log. */
export const CatalogueExtended = Type.Object({ types: Type.Array(Type.String({ minLength: 1 })) });
export type CatalogueExtended = Static<typeof CatalogueExtended>;
