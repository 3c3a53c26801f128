import { v7 } from 'uuid';

/** A UUID v7: operations sort by the time of the call. */
export const newId = (): string => v7();
