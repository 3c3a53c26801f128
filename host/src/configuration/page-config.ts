import { Type } from 'typebox';

/** Where people open the operations page; without it, on this machine alone. */
export const pageVariables = {
  OPERATIONS_URL: Type.Optional(Type.String({ pattern: String.raw`^https?://[^/?#@\s]+$` })),
};
