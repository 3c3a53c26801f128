import { Type } from 'typebox';

const ADDRESS = String.raw`https?://[^/?#\s,]+`;

/** For who looks after the service: on the page, and by `rollcall status`. */
export const pageVariables = {
  /** Where people open the operations page; without it, on this machine alone. */
  OPERATIONS_URL: Type.Optional(Type.String({ pattern: String.raw`^https?://[^/?#@\s]+$` })),
  PROCESS_ADDRESSES: Type.String({ default: '', pattern: `^(${ADDRESS}(,${ADDRESS})*)?$` }),
};

export const processAddresses = (text: string): readonly string[] =>
  text.split(',').filter((address) => address !== '');
