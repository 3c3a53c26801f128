import { projections, rebuild } from '@rollcall/projector';
import t from 'tap';
import { withMembers } from '../support/with-members.js';
import { append, document, openRig, projectAll, survey, type Rig } from './projector.support.js';

const statuses = async ({ readModels }: Rig): Promise<string[]> =>
  (await readModels.generations()).map(({ name, status }) => `${name} ${status}`);

t.test('what the live read models show when it switches is not lost', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  await projectAll({ ...on, projections });
  let asked = 0;
  const log = withMembers(on.log, {
    lastPosition: async () => {
      const end = await on.log.lastPosition();
      if ((asked += 1) > 1) return end;
      await append(on, 'survey-1', survey(1, 'second'));
      await projectAll({ ...on, projections });
      return end;
    },
  });
  await rebuild(on.readModels, { log, projections });
  t.strictSame(await statuses(on), ['generation-1 retired', 'generation-2 live']);
  t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'second' });
});

t.test('after a failure nothing is left of it', async (t) => {
  const on = await openRig(t);
  const log = withMembers(on.log, { lastPosition: () => Promise.reject(new Error('the log is away')) });
  await t.rejects(rebuild(on.readModels, { log, projections }), { message: 'the log is away' });
  t.strictSame(await statuses(on), ['generation-1 live']);
});

t.test('after an abort it does not switch to half of them', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  await t.rejects(rebuild(on.readModels, { log: on.log, projections, signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
  t.strictSame(await statuses(on), ['generation-1 live']);
});
