import type { Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import type { Engine } from './engine.js';
import { services, Stack } from './stack.js';

/** Calls an api from where it is published; the answer's JSON. */
async function call(stack: Stack, token: string, body?: readonly unknown[]): Promise<unknown> {
  const [url = ''] = await stack.urls();
  const send = body === undefined ? '' : '-X PUT -H "Content-Type: application/json" --data-binary "$BODY"';
  const curl = `curl --silent --show-error --fail-with-body -H "Authorization: Bearer $TOKEN" ${send} "$URL"`;
  const env = { TOKEN: token, URL: `${url}/v1.0/Company/1/Employee`, BODY: JSON.stringify(body) };
  return JSON.parse(await stack.engine.script(curl, { env })) as unknown;
}

/** Data of the commit before under this one, and, where this one has said nothing new, the other way round. */
export async function upgraded(t: Test, engine: Engine, before: string): Promise<void> {
  const old = new Stack(engine, 'upgrade', { ROLLCALL_IMAGE: before });
  const own = new Stack(engine, 'upgrade');
  await old.up(1);
  const [token = ''] = await old.companies([1]);
  await old.untilHealthy();
  t.match(await call(old, token, generatedEmployees(20)), { Inserted: 20 });
  await old.compose('down');

  await own.up(1);
  await own.untilHealthy();
  t.equal(((await call(own, token)) as unknown[]).length, 20, 'what the older image wrote is there');
  t.match(await call(own, token, generatedEmployees(21)), { Inserted: 1, Updated: 0, Removed: 0 });
  t.match(await own.rollcall('audit', 'verify'), /The log is whole/);
  await own.compose('down');

  await old.up(1);
  const back = await old.untilHealthy().then(
    () => 'healthy',
    () => old.compose('logs', '--no-color', ...services),
  );
  if (back === 'healthy')
    t.equal(((await call(old, token)) as unknown[]).length, 21, 'the older image goes on');
  else t.match(back, /A newer version of Rollcall has written to the event log/, 'the older image refuses');
  await old.compose('down', '--volumes');
}
