import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

export const EXPORT_FORMAT = 1;

const FILE = '^events-[0-9]{6}\\.ndjson$';
export const isExportFile = (name: string): boolean => new RegExp(FILE).test(name);
export const fileName = (number: number): string => `events-${String(number).padStart(6, '0')}.ndjson`;

const count = Type.Integer({ minimum: 0 });

const ExportedFile = Type.Object({
  path: Type.String({ pattern: FILE }),
  bytes: count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  events: count,
});
export type ExportedFile = Static<typeof ExportedFile>;

const ExportManifest = Type.Object({
  format: Type.Literal(EXPORT_FORMAT),
  version: Type.String(),
  installationId: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  /** Which digest key the events need. */
  keyCheck: Type.String(),
  exportedAt: Type.String(),
  /** Null: all of the log. */
  company: Type.Union([Type.Integer(), Type.Null()]),
  lastPosition: Type.String({ pattern: '^[0-9]{1,20}$' }),
  events: count,
  files: Type.Array(ExportedFile),
  publicKeys: Type.Array(Type.Object({ kid: Type.String(), pem: Type.String() })),
});

/** Written last: an export without it is unfinished (docs/log-format.md). */
export type ExportManifest = Static<typeof ExportManifest>;

const compiled = Compile(ExportManifest);
export const isExportManifest = (value: unknown): value is ExportManifest => compiled.Check(value);
