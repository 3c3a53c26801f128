import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { startChild, ChildProcess, entryOf } from '../servers/child-process.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { until } from '../support/until.js';
import { exactly } from '../support/exactly.js';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

// They wait for spans and invitations more than they work.
tap.jobs = 4;

/** What a collector is sent by OTLP over HTTP, as JSON. */
async function startCollector(t: Test) {
  const spans: Span[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      bodies.push(body);
      const { resourceSpans } = JSON.parse(body) as Export;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { spans, bodies, endpoint: `http://127.0.0.1:${port}/` };
}

const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const [employee] = generatedEmployees(1);
const personal = [employee?.EmployeeID, employee?.Firstname, employee?.Lastname, employee?.Email];

/** Queues an import of one employee who is invited at once; the ApiOperationId. */
async function putQueued(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/v1.0/Company/1/Employee`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'respond-async',
      traceparent: `00-${callersTrace}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify([{ ...employee, InvitationDate: '2026-01-01T08:00:00Z' }]),
  });
  if (answer.status !== 202) throw new Error(`PUT answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { ApiOperationId: string }).ApiOperationId;
}

const route = 'PUT /v1.0/Company/:companyId/Employee';
const inOrder = ['accept import', 'run import', 'send invitation'];
const allNames = [route, ...inOrder, 'relay import'];

/** The spans of an operation, as soon as all of them were sent. */
async function spansOf(
  collector: Awaited<ReturnType<typeof startCollector>>,
  operationId: string,
): Promise<readonly Span[]> {
  const traceId = operationId.replaceAll('-', '');
  const ofCall = (): Span[] => collector.spans.filter((span) => span.traceId === traceId);
  const names = (): string[] => ofCall().map(({ name }) => name);
  await until(
    () => `all spans; there are ${names().join(', ')}`,
    () => allNames.every((name) => names().includes(name)),
  );
  return ofCall().sort((one, other) =>
    Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)),
  );
}

const namesOf = (spans: readonly Span[]): string[] => spans.map(({ name }) => name);

/** One trace, which is the operation's, with the call above everything else. */
async function isOneTrace(
  t: Test,
  collector: Awaited<ReturnType<typeof startCollector>>,
  operationId: string,
): Promise<void> {
  const spans = await spansOf(collector, operationId);
  t.same(namesOf(spans).sort(), [...allNames].sort(), 'each once');
  const call = spans.find(({ name }) => name === route);
  t.notOk(call?.parentSpanId, 'the call stands above');
  t.match(
    call?.links,
    exactly([{ traceId: callersTrace, spanId: '00f067aa0ba902b7' }]),
    'and points to the caller',
  );
  for (const span of spans.filter((one) => one !== call)) t.equal(span.parentSpanId, call?.spanId, span.name);
  t.same(
    namesOf(spans).filter((name) => inOrder.includes(name)),
    inOrder,
  );
  const sent = collector.bodies.join();
  for (const value of personal) t.notOk(sent.includes(JSON.stringify(value)), 'nobody is named');
}

tap.test('one trace from the call to the invitation: npm start', { buffered: true }, async (t) => {
  const collector = await startCollector(t);
  const dataDir = t.testdir();
  const [token = ''] = await prepareDataDir(dataDir, [1]);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '200' };
  const server = await startChildServer({ dataDir, env });
  t.teardown(() => server.kill());
  await isOneTrace(t, collector, await putQueued(server.url, token));
  t.equal(await server.stop(), 0);
});

tap.test('the same through processes of their own', { buffered: true }, async (t) => {
  const collector = await startCollector(t);
  const dataDir = join(t.testdir(), 'data');
  mkdirSync(dataDir);
  const [token = ''] = await prepareDataDir(dataDir, [1]);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '200' };
  const projector = await startChild('projector', { dataDir, env });
  t.teardown(() => projector.kill());
  const worker = await startChild('worker', { dataDir, env });
  t.teardown(() => worker.kill());
  const api = new ChildProcess({ dataDir, entry: entryOf('api'), env });
  t.teardown(() => api.kill());
  const [url = ''] = /http:\S+/.exec(await api.says(/listens on \S+\n/)) ?? [];
  await isOneTrace(t, collector, await putQueued(url, token));
  for (const process of [api, worker, projector]) t.equal(await process.stop(), 0);
});

tap.test('a collector that is away holds nothing up', { buffered: true }, async (t) => {
  const dataDir = t.testdir();
  const [token = ''] = await prepareDataDir(dataDir, [1]);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  const server = await startChildServer({ dataDir, env });
  t.teardown(() => server.kill());
  await putQueued(server.url, token);
  t.equal(await server.stop(), 0);
});

tap.test('a sampler that takes no trace sends none', { buffered: true }, async (t) => {
  const collector = await startCollector(t);
  const dataDir = t.testdir();
  const [token = ''] = await prepareDataDir(dataDir, [1]);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER_ARG: '0' };
  const server = await startChildServer({ dataDir, env });
  t.teardown(() => server.kill());
  await putQueued(server.url, token);
  t.equal(await server.stop(), 0, 'which sends what is left');
  t.same(collector.spans, []);
});
