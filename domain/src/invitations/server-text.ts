const longest = 500;
const address = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+/gu;

/**
 * What a mail server said, as it may stand in an event: on one line, without what looks like an e-mail address (that would
 * be personal), at most 500 characters.
 */
export const serverText = (text: string): string =>
  text
    .slice(0, longest * 4)
    .replace(address, '<address>')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '');
