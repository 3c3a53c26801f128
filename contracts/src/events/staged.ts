import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Large data of an event: its JSON text in binary chunks in their own stream (design: "Large data"). */
export const StagedReference = Type.Object({
  stream: Type.String({ pattern: '^data-[0-9a-f-]{36}-[0-9a-f]{16}$' }),
  count: Type.Integer({ minimum: 1 }),
  bytes: Type.Integer({ minimum: 1 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type StagedReference = Static<typeof StagedReference>;

export const StagedData = Type.Object({ staged: StagedReference }, { additionalProperties: false });
export type StagedData = Static<typeof StagedData>;

const check = Compile(StagedData);

export const isStagedData = (value: unknown): value is StagedData => check.Check(value);
