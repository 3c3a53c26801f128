import { objectOf, type Ran, type rollcallWithin } from './rollcall.js';

export interface Line {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  readonly advice: string | null;
}

type Run = ReturnType<typeof rollcallWithin>;

/** What `rollcall doctor --json` says, line by line. */
export async function examined(rollcall: Run): Promise<Ran & { readonly lines: readonly Line[] }> {
  const ran = await rollcall('doctor --json');
  const { checks } = objectOf(ran);
  return { ...ran, lines: checks as Line[] };
}

export const redOf = (lines: readonly Line[]): string[] =>
  lines.filter(({ ok }) => !ok).map(({ name }) => name);

/** An installation with one company, a user and keys. */
export async function begun(rollcall: Run): Promise<void> {
  for (const words of [
    'company configure --company 7',
    'user add --company 7 --name HR',
    'token issue --user 1',
  ])
    if ((await rollcall(words)).code !== 0) throw new Error(words);
  if ((await rollcall('projections rebuild')).code !== 0) throw new Error('projections rebuild');
}
