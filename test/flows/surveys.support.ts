import { readFile } from 'node:fs/promises';
import type { Test } from 'tap';
import { type Answer, type CallOptions, type TestApp, companyId } from '../support/test-app.js';

export const text = (value: string) => ({ '1045': value });
export const cover = { Type: 1, Texts: text('Welcome') };
export const thanks = { Type: 99, Texts: text('Thanks') };
export const why = { Type: 3, Texts: text('Why?') };

export const newSurvey = (changes: object = {}) => ({
  Name: 'Pulse',
  CompanyId: companyId,
  Start: '2026-05-01T02:00:00Z',
  End: '2026-06-01T02:00:00Z',
  State: 1,
  Questions: [cover, why, thanks],
  ...changes,
});

/** A token of company 8. */
export const foreignToken = (app: TestApp): string => app.token({ claims: { sub: '3', company: 8 } });

export const post = (app: TestApp, path: string, body: unknown, options: CallOptions = {}): Promise<Answer> =>
  app.call('POST', `/v1.0${path}`, { ...options, body });

/** Creates a survey and gives its id. */
export async function create(
  t: Test,
  app: TestApp,
  changes: object = {},
  options: CallOptions = {},
): Promise<number> {
  const answer = await post(app, '/survey', newSurvey(changes), options);
  t.equal(answer.status, 200, answer.text);
  t.match(answer.text, /^[1-9]\d*$/, 'a bare integer');
  return Number(answer.text);
}

export interface SurveyAnswer {
  readonly id: number;
  readonly state: number;
  readonly surveyDefinitionId: number;
  readonly surveySelectionRule: string | null;
  readonly questions: readonly {
    readonly order: number;
    readonly key: string;
    readonly type: number;
    readonly texts: Record<string, string>;
    readonly configuration: string | null;
  }[];
}

/** An answer to a write waits for the read models at most a second, which busy servers may need. */
export async function read(t: Test, app: TestApp, id: number): Promise<SurveyAnswer> {
  if (process.env['TEST_STACK'] === 'servers') await app.projected();
  const answer = await app.call('GET', `/v1.0/Survey/${id}`);
  t.equal(answer.status, 200, answer.text);
  return answer.json as SurveyAnswer;
}

/** What a keeper of the survey sends to change it: all as it is, except for what is given. */
export async function updateOf(t: Test, app: TestApp, id: number, changes: object): Promise<object> {
  const { surveyDefinitionId } = await read(t, app, id);
  return newSurvey({ Id: id, SurveyDefinitionId: surveyDefinitionId, ...changes });
}

/** A published payload, of the test's company. */
export async function sample(name: string): Promise<Record<string, unknown>> {
  const file = new URL(`../../samples/${name}.json`, import.meta.url);
  return { ...(JSON.parse(await readFile(file, 'utf8')) as object), CompanyId: companyId };
}
