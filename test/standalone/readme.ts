import { readFileSync } from 'node:fs';

export interface Block {
  /** What is pasted into a shell. */
  readonly commands: string;
  /** What the page says that it prints; undefined where it says nothing. */
  readonly answer: string | undefined;
}

const fenced = /^```(?<language>\w*)\n(?<text>[\s\S]*?)^```\n(?<between>(?:(?!^```)[\s\S])*)/gm;

/** A section's shell blocks in their order, each with the answer that stands directly below it. */
export function blocksOf(page: string, heading: string): Block[] {
  const section = readFileSync(page, 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no section ${heading}`);
  const all = [...section.matchAll(fenced)].map(({ groups = {} }) => groups);
  return all.flatMap(({ language, text = '', between }, index) => {
    if (language !== 'sh') return [];
    const below = all[index + 1];
    const isAnswered = below?.['language'] === '' && between?.trim() === '';
    return [{ commands: text, answer: isAnswered ? (below['text'] ?? '') : undefined }];
  });
}

const masks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>'],
  [/^Date: .*$/gm, 'Date: <time>'],
  [/"PreviewId":"[\w.-]+"/g, '"PreviewId":"<id>"'],
];
const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * As a terminal shows it, without what is another at each run: ids, and times but for those that were sent. A page folds a long
 * line: what goes on is indented by two spaces.
 */
export function masked(text: string, sent: string): string {
  const timeless = text
    .replaceAll('\r\n', '\n')
    .replace(/\n {2}/g, '')
    .replace(moment, (time) => (sent.includes(time) ? time : time.replace(/\d/g, '0')));
  return masks.reduce((before, [what, by]) => before.replace(what, by), timeless);
}
