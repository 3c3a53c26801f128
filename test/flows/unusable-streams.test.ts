import type { Adapters } from '@rollcall/adapters';
import { surveyStream } from '@rollcall/application';
import t, { type Test } from 'tap';
import { companyId, otherCompanyId, startTestApp, type TestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { create, foreignToken } from './surveys.support.js';

const company = `/v1.0/Company/${companyId}`;

interface Streams {
  readonly app: TestApp;
  readonly parked: string[];
  readonly damaged: Map<string, string>;
}

async function withStreams(t: Test): Promise<Streams> {
  const parked: string[] = [];
  const damaged = new Map<string, string>();
  const parkedStreams = () =>
    Promise.resolve(parked.map((stream) => ({ stream, revision: 0, problem: 'its shape' })));
  const wrap = ({ log, readModels }: Pick<Adapters, 'log' | 'readModels'>) => ({
    log,
    readModels: withMembers(readModels, { parkedStreams }),
    damage: { streams: damaged, problems: () => [] },
  });
  return { app: await startTestApp(t, { wrap }), parked, damaged };
}

/** The answers while each stream is parked, then damaged. */
async function whileUnusable(
  t: Test,
  { app, parked, damaged }: Streams,
  path: string,
  streams: readonly (readonly [stream: string, isConcerned: boolean])[],
): Promise<void> {
  for (const [stream, isConcerned] of streams) {
    const expected = isConcerned ? [503, '60'] : [200, null];
    const seen = async () => {
      const { status, headers, text } = await app.call('GET', path);
      return { text, shown: [status, headers.get('retry-after')] };
    };
    parked.push(stream);
    t.strictSame((await seen()).shown, expected, `${path}: ${stream} is parked`);
    parked.length = 0;
    damaged.set(stream, `${stream} was changed`);
    const { shown, text } = await seen();
    t.strictSame(shown, expected, `${path}: ${stream} is damaged`);
    t.equal(text.includes(`${stream} was changed`), isConcerned);
    damaged.clear();
  }
}

t.test('only its own unusable streams keep a company from its answers', async (t) => {
  const streams = await withStreams(t);
  await streams.app.projected();
  const others = [`company-${otherCompanyId}`, `company-${companyId}0`, `invitation-${companyId}0-1`].map(
    (stream) => [stream, false] as const,
  );
  await whileUnusable(t, streams, `${company}/Invitations`, [
    [`company-${companyId}`, true],
    [`invitation-${companyId}-12`, true],
    ...others,
  ]);
  for (const path of [`${company}/Limits`, `${company}/Language/Enabled`])
    await whileUnusable(t, streams, path, [
      [`company-${companyId}`, true],
      [`invitation-${companyId}-12`, false],
      ...others,
    ]);
});

t.test('only its own unusable surveys keep a company from its surveys', async (t) => {
  const streams = await withStreams(t);
  const { app, damaged } = streams;
  const [id, second] = [await create(t, app), await create(t, app)];
  const foreign = await create(t, app, { CompanyId: otherCompanyId }, { token: foreignToken(app) });
  await app.projected();
  await whileUnusable(t, streams, `/v1.0/Survey?companyId=${companyId}`, [
    [surveyStream(id), true],
    [surveyStream(foreign), false],
  ]);
  await whileUnusable(t, streams, `/v1.0/Survey/${id}`, [
    [surveyStream(id), true],
    [surveyStream(second), false],
    [surveyStream(foreign), false],
  ]);
  damaged.set(surveyStream(foreign), 'it was changed');
  t.equal((await app.call('GET', `/v1.0/Survey/${foreign}`)).status, 404, 'of another company');
});
