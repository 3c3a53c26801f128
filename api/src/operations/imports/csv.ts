import { cell } from '../../imports/preview-answers.js';

/** RFC 4180, with a byte order mark for spreadsheets. */
export const csvOf = (columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string =>
  `\ufeff${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
