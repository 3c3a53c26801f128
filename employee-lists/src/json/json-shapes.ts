import { shortened } from '../text/code-points.js';

export type Report = (problem: string) => void;

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** null in an optional member means absent. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** Callers choose names, so their length is bounded. */
export const shownName = (name: string): string => shortened(name, 40);
