/** The rules of JSON and of texts, which every body of a call keeps. */

export { type IgnoredFields, IgnoredNames } from './json/ignored-names.js';
export * from './json/json-scanner.js';
export * from './json/json-shapes.js';
export * from './json/strict-json.js';
export * from './text/code-points.js';
export * from './text/dates.js';
export * from './text/emails.js';
export { foldCase } from './text/fold-case.js';
export * from './text/phones.js';
