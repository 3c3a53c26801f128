import { Type } from 'typebox';

export const Count = Type.Integer({ minimum: 0 });
export const Hex128 = Type.String({ pattern: '^[0-9a-f]{32}$' });
/** ISO 8601 UTC. */
export const Moment = Type.String({ minLength: 1, maxLength: 40 });
