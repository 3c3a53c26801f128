import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Where an event's large data lies: its JSON text in binary chunks, in a stream of its own (design: "Large data"). */
export const StagedReference = Type.Object({
  stream: Type.String({ pattern: '^data-[0-9a-f-]{36}-[0-9a-f]{16}$' }),
  /** How many chunks. */
  count: Type.Integer({ minimum: 1 }),
  /** Their bytes in sum. */
  bytes: Type.Integer({ minimum: 1 }),
  /** Over all chunks, hex. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type StagedReference = Static<typeof StagedReference>;

/** What is stored in place of such data. */
export const StagedData = Type.Object({ staged: StagedReference }, { additionalProperties: false });
export type StagedData = Static<typeof StagedData>;

const check = Compile(StagedData);

export const isStagedData = (value: unknown): value is StagedData => check.Check(value);
