/** Of several measurements, in milliseconds or whatever was measured. */
export interface Times {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

/** The value that this share of them does not pass. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** At least one value has to be there. */
export function timesOf(values: readonly number[]): Times {
  if (values.length === 0) throw new Error('Nothing was measured');
  return { minimum: Math.min(...values), median: quantile(values, 0.5), maximum: Math.max(...values) };
}
