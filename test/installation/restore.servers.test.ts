import { join } from 'node:path';
import t, { type Test } from 'tap';
import { withDatabase } from '../conformance/read-models.mongodb.support.js';
import { skipWithoutServers } from '../servers/three-servers.js';
import { until } from '../support/until.js';
import { countIn, RestoredService, type Ready } from './restored-service.js';

t.setTimeout(600_000);

const isUnavailable = ({ Status }: Ready): boolean => Status === 'unavailable';

/** People of an import that a restored log has lost, where an earlier one had 20: the read models have both. */
async function restored(t: Test, meanwhile: (service: RestoredService) => Promise<void>) {
  const service = await RestoredService.begin(t);
  const copy = join(t.testdirName, 'copy');
  await service.start();
  await service.untilReady();
  t.equal((await service.put(20, 'kept')).status, 200);
  await service.servers.eventLog.backUp(copy);
  await service.untilReady();
  t.equal((await service.put(30, 'lost')).status, 200);
  await until('30 people are shown', async () => countIn(await service.people()) === 30);
  // Whoever has not looked at the log since has nothing of it in memory.
  await service.untilReady();
  await meanwhile(service);
  await service.servers.eventLog.restore(copy);
  return service;
}

/** Does to the letter what every process says, until none of them is unavailable any more. */
async function followed(service: RestoredService): Promise<string[]> {
  const done: string[] = [];
  for (let round = 0; round < 4; round++) {
    const said = await service.ready();
    const problems = [...new Set(said.filter(isUnavailable).flatMap(({ Problems }) => Problems))];
    if (problems.length === 0) return done;
    done.push(...problems);
    if (problems.some((problem) => problem.includes('restart this process'))) {
      await service.kill();
      await service.start();
    }
    const command = problems.map((problem) => /run rollcall ([a-z ]+)/.exec(problem)?.[1]).find(Boolean);
    if (command !== undefined) await service.rollcall(command);
  }
  return done;
}

const askedIn = (problems: readonly string[]): unknown[] =>
  [...new Set(problems.map((problem) => problem.split(': ').at(-1)))].sort();

async function isWholeAgain(t: Test, service: RestoredService): Promise<void> {
  await service.untilReady();
  t.equal(countIn(await service.people()), 20, 'what the restored log holds');
  t.match(await service.put(20, 'kept'), { status: 200, isReplayed: true });
  t.match(await service.put(30, 'lost'), { status: 200, isReplayed: false, json: { Inserted: 10 } });
  await until('30 people are shown', async () => countIn(await service.people()) === 30);
  t.match(await service.rollcall('audit verify'), { code: 0 });
}

t.test('an older copy of the log under running processes', { skip: skipWithoutServers }, async (t) => {
  const service = await restored(t, () => Promise.resolve());
  const isLost = /the event log does not hold .* that this process has seen.*: restart this process/;
  // Who has not looked at the log between the lost import and the restore has nothing of it but the read models.
  await service.untilAllSay(isUnavailable);
  const put = await service.put(30, 'lost');
  t.match(put, { status: 503, json: { Message: /restart this process/ } }, 'no answer of what is lost');
  t.match(await service.put(31, 'new'), { status: 503, json: { Message: /restart this process/ } });
  await until('the api says it too', async () => {
    const [api] = await service.ready();
    return api?.Problems.some((problem) => isLost.test(problem));
  });
  await until('nothing is shown', async () => (await service.people()).status === 503);
  t.match(await service.people(), { json: { Message: /: (restart this process|run rollcall)/ } });
  // The processes miss different events, and all ask for the same.
  t.same(askedIn(await followed(service)), ['restart this process', 'run rollcall projections rebuild']);
  await isWholeAgain(t, service);
});

t.test('an older copy of the log under newer read models', { skip: skipWithoutServers }, async (t) => {
  const service = await restored(t, (running) => running.kill());
  await service.start();
  // The log's end is before the read models' position; once it has grown past it, the log is another one.
  const foreign =
    /^the read models (know events that|were made from another log,).*: run rollcall projections rebuild$/;
  // On a busy machine an api that has just begun says more: that no import thread answers yet.
  await service.untilAllSay(
    ({ Status, Problems }) => Status === 'unavailable' && Problems.every((problem) => foreign.test(problem)),
  );
  t.match(await service.people(), { status: 503, json: { Message: /run rollcall projections rebuild/ } });
  t.same(askedIn(await followed(service)), ['run rollcall projections rebuild']);
  await isWholeAgain(t, service);
});

t.test('empty read models beside the log and its keys', { skip: skipWithoutServers }, async (t) => {
  const service = await RestoredService.begin(t);
  await service.start();
  await service.untilReady();
  t.equal((await service.put(20, 'kept')).status, 200);
  await service.kill();
  const { readModels } = service.config;
  if (readModels.kind !== 'mongodb') throw new Error('The read models are not on a server');
  service.config = {
    ...service.config,
    readModels: { ...readModels, url: withDatabase(readModels.url, 'anew') },
  };
  await service.start('api', 'worker');
  const building = ({ Status, Problems }: Ready): boolean =>
    Status === 'degraded' && Problems.includes('read models are being built: 0 %');
  await service.untilAllSay(building);
  t.match(await service.people(), { status: 503, json: { Message: /is being built/ } });
  const answers: (number | undefined)[] = [];
  await service.start('projector');
  const isShown = async (): Promise<boolean> => {
    const answer = await service.people();
    answers.push(answer.status === 200 ? countIn(answer) : answer.status);
    return answer.status === 200;
  };
  await until('people are shown', isShown, { everyMs: 5 });
  t.same(
    [...new Set(answers.slice(0, -1))].filter((answer) => answer !== 503),
    [],
  );
  t.equal(answers.at(-1), 20, 'all of them at once');
  await service.untilReady();
  t.match(await service.put(20, 'kept'), { status: 200, isReplayed: true });
});
