import { Type, type Static } from 'typebox';

/** On `anchors`: a signed Merkle root over the heads of all streams that stay (docs/log-format.md, "Anchors"). */
export const LogAnchored = Type.Object({
  format: Type.Literal(1),
  installationId: Type.String({ format: 'uuid' }),
  /** ISO 8601 UTC with milliseconds. */
  time: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }),
  /** Of the last event that it may cover. */
  position: Type.String({ pattern: '^[0-9]{1,20}$' }),
  /** The first events of the log that it covers, chunks not counted. */
  events: Type.Integer({ minimum: 1 }),
  streams: Type.Integer({ minimum: 1 }),
  root: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  kid: Type.String({ pattern: String.raw`^[\w.-]{1,100}$` }),
  /** Ed25519, base64. */
  signature: Type.String({ pattern: '^[0-9A-Za-z+/]{86}==$' }),
});
export type LogAnchored = Static<typeof LogAnchored>;
