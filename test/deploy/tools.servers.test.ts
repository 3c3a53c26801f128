import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import tap, { type Test } from 'tap';
import { root } from '../architecture/source-files.js';
import { generatedEmployees } from '../generators/employees.js';
import { skipWithout } from '../servers/skip-without.js';
import { Program } from '../support/program.js';
import { companyId, otherCompanyId, startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { exactly } from '../support/exactly.js';

/** Programs that check what they are to run on: `bash .ci/tools.sh FOLDER`. */
const { ROLLCALL_TOOLS_DIR: folder = '' } = process.env;
const skip = skipWithout(
  folder !== '' && existsSync(join(folder, 'check-manifests'))
    ? false
    : 'ROLLCALL_TOOLS_DIR names no folder that .ci/tools.sh has made',
);
const deploy = join(root, 'deploy');
const certificates = join(root, 'test', 'servers', 'tls');

async function accepted(t: Test, command: string, args: readonly string[], cwd = deploy): Promise<string> {
  const { code, out, err } = await new Program(args, { command: join(folder, command), cwd, quiet: true })
    .ended;
  t.equal(code, 0, `${command} ${args.join(' ')}\n${out}\n${err}`);
  return out + err;
}

tap.test('Prometheus takes the rules, which fire when they should', { skip }, async (t) => {
  const cwd = join(deploy, 'prometheus');
  t.match(await accepted(t, 'promtool', ['check', 'rules', 'rules.yml'], cwd), /SUCCESS: \d+ rules found/);
  await accepted(t, 'promtool', ['check', 'config', 'prometheus.yml'], cwd);
  t.match(await accepted(t, 'promtool', ['test', 'rules', 'rules.test.yml'], cwd), /SUCCESS/);
});

tap.test('Kubernetes knows every field of the manifests', { skip }, async (t) => {
  const said = await accepted(t, 'check-manifests', ['kubernetes'], deploy);
  t.match(said, /Deployment rollcall-api\n[^]*HorizontalPodAutoscaler rollcall-worker\n/);
  const wrong = join(
    t.testdir({ 'wrong.yaml': 'apiVersion: v1\nkind: Pod\nspec: {containerz: []}\n' }),
    'wrong.yaml',
  );
  const { code, err } = await new Program([dirname(wrong)], {
    command: join(folder, 'check-manifests'),
    quiet: true,
  }).ended;
  t.same([code, /unknown field "spec.containerz"/.test(err)], [1, true], 'what is misspelt is seen');
});

tap.test('systemd takes the units', { skip }, async (t) => {
  const analyze = '/usr/bin/systemd-analyze';
  if (!existsSync(analyze)) return t.comment('there is no systemd here');
  const units = readdirSync(join(deploy, 'systemd'))
    .filter((name) => !name.includes('@'))
    .map((name) => join(deploy, 'systemd', name));
  const templates = { api: '3000', worker: '1' };
  const copies = t.testdir();
  for (const [name, instance] of Object.entries(templates)) {
    const text = readFileSync(join(deploy, 'systemd', `rollcall-${name}@.service`), 'utf8');
    writeFileSync(join(copies, `rollcall-${name}@${instance}.service`), text);
    units.push(join(copies, `rollcall-${name}@${instance}.service`));
  }
  const { code, out, err } = await new Program(['verify', '--man=no', ...units], {
    command: analyze,
    quiet: true,
  }).ended;
  t.same([code, out + err], [0, '']);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Sent {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

const host = 'rollcall.example.com';

/** A call through the proxy, whose certificate is none of a known authority here. */
const through = (
  port: number,
  path: string,
  {
    headers = {},
    method = 'GET',
    body,
  }: { headers?: Record<string, string>; method?: string; body?: Buffer } = {},
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        servername: host,
        rejectUnauthorized: false,
        headers: { host, ...headers },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(parts).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

/** What must come through unchanged, whatever stands in front. */
async function carries(t: Test, port: number, app: Awaited<ReturnType<typeof startTestApp>>): Promise<void> {
  const isUp = (): Promise<boolean> =>
    through(port, '/health/live').then(
      ({ status }) => status === 200,
      () => false,
    );
  await until('the proxy answers', isUp, { everyMs: 50 });
  const authorization = `Bearer ${app.token()}`;
  const employees = gzipSync(JSON.stringify(generatedEmployees(5_000)));
  const put = await through(port, `/v1.0/Company/${companyId}/Employee`, {
    method: 'PUT',
    body: employees,
    headers: {
      authorization,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-request-id': 'nightly 7',
      prefer: 'respond-async',
    },
  });
  t.same([put.status, put.headers['x-request-id']], [202, 'nightly 7'], put.text);
  t.match(put.headers['location'], /^\/v1\.0\/Company\//);
  const list = await through(port, `/v1.0/Company/${companyId}/ApiCalls`, { headers: { authorization } });
  t.equal(list.status, 200);
  t.equal((await through(port, '/metrics')).status, 404, 'metrics are not shown');
  t.equal((await through(port, '/v1.0/Survey')).status, 401);
  t.match((await through(port, '/docs/')).status, 200);
  await keepsETags(t, port, app);
}

/** A compressed answer gets an ETag of the proxy's own from some. */
async function keepsETags(
  t: Test,
  port: number,
  app: Awaited<ReturnType<typeof startTestApp>>,
): Promise<void> {
  const path = `/v1.0/Company/${otherCompanyId}/Employee`;
  const token = app.token({ claims: { sub: '3', company: otherCompanyId } });
  const body = generatedEmployees(100);
  const imported = await app.call('PUT', path, { token, body });
  t.equal(imported.status, 200, imported.text);
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'zstd, gzip' };
  const read = (): Promise<Sent> => through(port, path, { headers });
  await until('the list is there', async () => (await read()).text.length > 1_000);
  const { headers: given } = await read();
  t.match([given['content-encoding'], given['etag']], exactly([undefined, /^"\d+"$/]));
}

interface Nginx {
  readonly port: number;
  readonly plain: number;
  readonly log: () => string;
}

/** In front of the first api, and of the second where there is one. */
async function startNginx(t: Test, first: string, second?: string): Promise<Nginx> {
  const [port, plain] = [await freePort(), await freePort()];
  const cwd = t.testdir({ logs: {} });
  const site = readFileSync(join(deploy, 'nginx', 'rollcall.conf'), 'utf8')
    .replaceAll('/etc/ssl/rollcall/fullchain.pem', join(certificates, 'server.crt'))
    .replaceAll('/etc/ssl/rollcall/privkey.pem', join(certificates, 'server.key'))
    .replaceAll('/var/log/nginx/', join(cwd, 'logs/'))
    .replaceAll('127.0.0.1:3000', first)
    .replace(/^( *server )127\.0\.0\.1:3001(.*\n)/m, second === undefined ? '' : `$1${second}$2`)
    .replace(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`);
  writeFileSync(join(cwd, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${cwd}/${name};`,
  );
  writeFileSync(
    join(cwd, 'nginx.conf'),
    `daemon off; master_process off; pid ${cwd}/pid; error_log ${cwd}/logs/error.log; events {}\n` +
      `http { access_log off; ${temporary.join(' ')} include site.conf; }\n`,
  );
  await accepted(t, 'nginx', ['-t', '-p', cwd, '-e', join(cwd, 'logs/error.log'), '-c', 'nginx.conf']);
  const nginx = new Program(['-p', cwd, '-e', join(cwd, 'logs/error.log'), '-c', 'nginx.conf'], {
    command: join(folder, 'nginx'),
  });
  t.teardown(() => nginx.stop());
  return { port, plain, log: () => readFileSync(join(cwd, 'logs/rollcall.log'), 'utf8') };
}

tap.test('nginx in front', { skip }, async (t) => {
  const app = await startTestApp(t);
  const { port, plain, log } = await startNginx(t, new URL(app.url).host);
  await carries(t, port, app);
  const redirected = await fetch(`http://127.0.0.1:${plain}/v1.0/Survey?x=1`, { redirect: 'manual' });
  t.equal(redirected.status, 308);
  await until('the calls are logged', () => log().includes('/v1.0/Survey'));
  t.notMatch(log(), /\?/, 'no query is logged');
});

tap.test('nginx sends no PUT to a second api', { skip }, async (t) => {
  const app = await startTestApp(t);
  let broken = 0;
  const breaking = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .once('data', () => {
        broken += 1;
        socket.destroy();
      }),
  ).listen(0, '127.0.0.1');
  await once(breaking, 'listening');
  t.teardown(() => breaking.close());
  const address = breaking.address();
  const second = typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  const { port } = await startNginx(t, new URL(app.url).host, second);
  const status = (method: string, body?: Buffer): Promise<number> =>
    through(port, '/v1.0/Survey', { method, ...(body ? { body } : {}) }).then(
      (answer) => answer.status,
      () => 0,
    );
  await until('nginx answers', async () => (await status('GET')) === 401);
  broken = 0;
  t.same([await status('GET'), await status('GET'), broken], [401, 401, 1], 'a GET goes to the other one');
  const put = [await status('PUT', Buffer.from('[]')), await status('PUT', Buffer.from('[]'))];
  t.same([put.filter((one) => one === 502).length, broken], [1, 2]);
});

tap.test('Caddy in front', { skip }, async (t) => {
  const app = await startTestApp(t);
  await accepted(t, 'caddy', ['validate', '--config', 'caddy/Caddyfile', '--adapter', 'caddyfile']);
  const port = await freePort();
  const cwd = t.testdir();
  mkdirSync(join(cwd, 'data'));
  const text = readFileSync(join(deploy, 'caddy', 'Caddyfile'), 'utf8')
    .replace('{\n', `{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port ${port}\n`)
    .replace('rollcall.example.com {', 'rollcall.example.com {\n\ttls internal\n\tbind 127.0.0.1')
    .replace('127.0.0.1:3000 127.0.0.1:3001', new URL(app.url).host);
  writeFileSync(join(cwd, 'Caddyfile'), text);
  const caddy = new Program(['run', '--config', join(cwd, 'Caddyfile'), '--adapter', 'caddyfile'], {
    command: join(folder, 'caddy'),
    env: { HOME: cwd, XDG_DATA_HOME: join(cwd, 'data'), XDG_CONFIG_HOME: cwd },
    quiet: true,
  });
  t.teardown(() => caddy.stop());
  await carries(t, port, app);
});
