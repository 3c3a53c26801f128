import { Type, type Static } from 'typebox';

/** docs/contract, "Languages". */
export const Language = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  label: Type.String({ minLength: 1 }),
  code: Type.String({ minLength: 1 }),
});
export type Language = Static<typeof Language>;
