/** The rules of JSON and of texts, which every body of a call keeps. */

export * from './json/json-shapes.js';
export * from './json/strict-json.js';
export * from './text/rules.js';
export * from './text/dates.js';
