const opensUnquoted = /\s*:\s*"(?=\[)/y;

/** The offset after the string that starts at `from`; -1 where it does not end. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at++;
  }
  return -1;
}

function openingQuote(text: string, from: number): number {
  opensUnquoted.lastIndex = from;
  return opensUnquoted.test(text) ? opensUnquoted.lastIndex - 1 : -1;
}

const depthChange = (character: string | undefined): number => {
  if (character === '[' || character === '{') return 1;
  return character === ']' || character === '}' ? -1 : 0;
};

/** The offset after the bracket that closes the one at `from`; -1 where none does. Ignores brackets in strings. */
function endOfArray(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    if (text[at] === '"') {
      at = endOfString(text, at);
      if (at < 0) return -1;
      continue;
    }
    depth += depthChange(text[at]);
    at++;
    if (depth === 0) return at;
  }
  return -1;
}

/** The offset of the quote that opens `"EnabledLanguages":"[` in the outermost object; -1 where there is none. */
function findUnquoted(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length;) {
    if (text[at] !== '"') {
      depth += depthChange(text[at++]);
      continue;
    }
    const end = endOfString(text, at);
    if (end < 0) return -1;
    const isMember = depth === 1 && text.slice(at, end) === '"EnabledLanguages"';
    const quote = isMember ? openingQuote(text, end) : -1;
    if (quote >= 0) return quote;
    at = end;
  }
  return -1;
}

/**
 * The published sample has an array in a string with unescaped quotes: `"EnabledLanguages":"[{"id":1045}]"`.
 * Returns the text with a plain array; null for any other form. One pass.
 */
export function unquoteEnabledLanguages(text: string): string | null {
  const quote = findUnquoted(text);
  if (quote < 0) return null;
  const end = endOfArray(text, quote + 1);
  if (text[end] !== '"') return null;
  return `${text.slice(0, quote)}${text.slice(quote + 1, end)}${text.slice(end + 1)}`;
}
