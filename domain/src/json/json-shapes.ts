import { shortened } from '../text/code-points.js';

/** Takes one problem: a path and the rule that is broken there. */
export type Report = (problem: string) => void;

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** null in an optional member means absent. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** A member's name as it may stand in a problem: callers choose it, so its length is bounded. */
export const shownName = (name: string): string => shortened(name, 40);
