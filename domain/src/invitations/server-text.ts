const longest = 500;
const address = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+/gu;

/** A mail server's text as an event may hold it: one line, at most 500 characters, no e-mail addresses (personal data). */
export const serverText = (text: string): string =>
  text
    .slice(0, longest * 4)
    .replace(address, '<address>')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '');
