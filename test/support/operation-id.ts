import { randomUUID } from 'node:crypto';

/** Of an operation that began at this moment (ms). */
export const operationIdAt = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
