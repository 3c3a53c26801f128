/** Rows of text in columns; the first column is aligned to the left. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      ),
    )
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

/** The least, and the most behind it: `812-944`. Empty where nothing was measured. */
export const span = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }): string =>
  Number.isNaN(minimum) ? '' : `${digits(minimum)}-${digits(maximum)}`;

export const ratio = (value: number, floor: number): string =>
  Number.isNaN(value) ? '' : (value / floor).toFixed(2);
