/** A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function cellOf(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** RFC 4180, with a byte order mark for spreadsheets. */
export const csvOf = (
  columns: readonly string[],
  rows: readonly (readonly (string | number | null | undefined)[])[],
): string => `\ufeff${[columns, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`;
