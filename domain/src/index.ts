export * from './text/code-points.js';
export * from './text/dates.js';
export * from './text/emails.js';
export * from './text/phones.js';
