import { cell } from '../../imports/preview-answers.js';

/** RFC 4180. */
export const csvOf = (columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string =>
  `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
