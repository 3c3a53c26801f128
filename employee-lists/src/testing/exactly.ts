/**
 * To `t.match`, an array is a pattern of the first entries: more may follow. This pattern fits a list with these entries and no more,
 * the lists within it too.
 */
export const exactly = (entries: readonly unknown[]): object =>
  Object.assign({ length: entries.length }, entries.map(withLengths));

function withLengths(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return exactly(pattern);
  if (typeof pattern !== 'object' || pattern === null) return pattern;
  if (Object.getPrototypeOf(pattern) !== Object.prototype) return pattern;
  return Object.fromEntries(Object.entries(pattern).map(([key, value]) => [key, withLengths(value)]));
}
