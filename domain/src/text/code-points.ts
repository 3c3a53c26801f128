const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLowSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

/** The length in Unicode code points; half a surrogate pair counts as one (docs/contract, "Strings"). */
export function codePointLength(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (!isLowSurrogate(text.charCodeAt(i)) || !isHighSurrogate(text.charCodeAt(i - 1))) continue;
    count--;
  }
  return count;
}

/** Whether a text has more than `max` code points. Counts only where the number of UTF-16 units leaves it open. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || codePointLength(text) > max);
}

/** The text, or its first `max` code points and an ellipsis. */
export function shortened(text: string, max: number): string {
  if (!isLongerThan(text, max)) return text;
  return `${Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')}…`;
}

/** A required string is not blank: at least one character that is no white space. */
export const isBlank = (text: string): boolean => text.trim() === '';

/** Whether a text survives storage as it is: no NUL, no half of a surrogate pair (it has no form in UTF-8). */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);
