import { v7 } from 'uuid';

/** A new UUID v7, for operations: their order is the order of calls. */
export const newId = (): string => v7();
