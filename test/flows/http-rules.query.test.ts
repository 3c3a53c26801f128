import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Imports } from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';
import { ManualTime } from '../support/manual-timer.js';
import { withMembers } from '../support/with-members.js';
import { scale, seed } from '../support/scale.js';

/** Paths with a body that each takes. */
const imports = new Map([
  [`/v1.0/Company/${companyId}/Employee`, '[]'],
  [`/v1.0/User/${companyId}/ManagerImport`, '{"ManagerRoles":[]}'],
]);
const numRuns = Math.ceil(1_000 * scale);

/** As it is written: `fetch` would take `#` and what follows away. */
async function put(app: TestApp, [path, body, query]: string[], authorization: string): Promise<number> {
  const headers = { authorization, 'content-type': 'application/json' };
  const call = request({
    port: app.port,
    host: '127.0.0.1',
    method: 'PUT',
    path: `${path}${query}`,
    headers,
  }).end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  await text(answer);
  return answer.statusCode ?? 0;
}

const refusal = { stream: 'operation-f00d', revision: 0, position: 0n, bytes: 1 };

/** Whether each import that came to be decided is a rehearsal. */
function recordedImports(): { readonly dryRuns: boolean[]; readonly wrapImports: (own: Imports) => Imports } {
  const dryRuns: boolean[] = [];
  const wrapImports = (own: Imports): Imports => {
    const accept: Imports['accept'] = (sent) => {
      dryRuns.push(sent.dryRun);
      return own.accept(sent);
    };
    return withMembers(own, { accept, refuse: () => Promise.resolve(refusal) });
  };
  return { dryRuns, wrapImports };
}

/** A text with some of its characters percent-encoded or in the other case. */
const respelled = (word: string) =>
  fc
    .tuple(...Array.from(word).map((letter) => fc.constantFrom(...spellings(letter))))
    .map((all) => all.join(''));

const spellings = (letter: string): string[] => [
  ...Array<string>(30).fill(letter),
  letter.toLowerCase(),
  letter.toUpperCase(),
  `%${letter.charCodeAt(0).toString(16)}`,
];

const mark = fc.constantFrom(
  '?',
  '?',
  '?',
  '?',
  '?',
  '?',
  '?',
  '?',
  '?',
  '??',
  '#',
  '?#',
  '#?',
  '?&',
  '?;',
  ';',
  '%3F',
  '%23',
  '?%3F',
  '?=',
  '?+',
);
const junk = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  '&',
  '#',
  '?',
  '&x=1',
  '&dryRun=false',
  '%00',
  '%ff',
  ';',
  '&&',
  '#x',
);
const spelling = fc
  .tuple(
    mark,
    fc.constantFrom('', '', '', '', '', 'x=1&', '&', 'dryRun=false&', '#', '?'),
    respelled('dryRun'),
  )
  .chain(([before, between, name]) =>
    fc
      .tuple(fc.constantFrom('=', '=', '=', '==', '%3D', '[]=', '=%20'), respelled('true'), junk)
      .map(([equals, value, behind]) => before + between + name + equals + value + behind),
  );

t.test('whatever its spelling, a call that asks for a rehearsal is refused or rehearsed', async (t) => {
  const { dryRuns, wrapImports } = recordedImports();
  const time = new ManualTime();
  const app = await startTestApp(t, { wrapImports, clock: time, every: time.every });
  const authorization = `Bearer ${app.token()}`;
  let calls = 0;
  const outcomes: Record<string, number> = {};
  t.comment(`TEST_SEED=${seed}, ${numRuns} runs`);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...imports), spelling, async ([path, body], query) => {
      // No more than a user may have refused in a minute.
      if (++calls % 50 === 0) await time.tick(60_000);
      const before = dryRuns.length;
      const status = await put(app, [path, body, query], authorization);
      const outcome = `${status}${dryRuns.length > before ? ' rehearsed' : ''}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      return ['200 rehearsed', '400', '404'].includes(outcome) && dryRuns.slice(before).every((dry) => dry);
    }),
    { numRuns, seed },
  );
  t.comment(JSON.stringify(outcomes));
});

t.test('a second question mark and a number sign are refused, and nothing is done', async (t) => {
  const { dryRuns, wrapImports } = recordedImports();
  const app = await startTestApp(t, { wrapImports });
  const authorization = `Bearer ${app.token()}`;
  for (const [path, body] of imports)
    for (const query of [
      '??dryRun=true',
      '#dryRun=true',
      '?#dryRun=true',
      '?dryRun=true#',
      '??',
      '#',
      '?%3FdryRun=true',
    ])
      t.equal(await put(app, [path, body, query], authorization), 400, query);
  t.same(dryRuns, []);
});
