import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Metrics } from '@rollcall/host';
import { readWorkerConfig } from '@rollcall/worker';
import tap from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../architecture/source-files.js';
import { exactly } from '../support/exactly.js';

const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, 'deploy', folder)).map((name) => `${folder}/${name}`);

interface Container {
  readonly command: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> };
  readonly livenessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly startupProbe?: object;
}

interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly sizeLimit?: string };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly strategy?: { readonly rollingUpdate: object };
    readonly template?: {
      readonly metadata?: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly Container[]; readonly volumes: readonly Volume[] };
    };
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly metrics?: readonly {
      readonly resource?: { readonly name: string };
      readonly external?: { readonly metric: { readonly name: string } };
    }[];
  };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string; readonly newTag: string }[];
}

const manifests = filesIn('kubernetes').flatMap((path) =>
  parseAllDocuments(read(path)).map((document) => document.toJS() as Manifest),
);
const ofKind = (kind: string): Manifest[] => manifests.filter((one) => one.kind === kind);

function containerOf({ metadata, spec }: Manifest): Container {
  const [container] = spec.template?.spec.containers ?? [];
  if (container === undefined) throw new Error(`${metadata.name} has no container`);
  return container;
}

/** Where the source of the process begins. */
const entryOf = ({ command }: Container): string =>
  (command.at(-1) ?? '').replace(/^dist\/(.*)\.js$/, '$1/src/main.ts');

tap.test('each process of Kubernetes has its probes, its memory and a gentle rollout', async (t) => {
  const deployments = ofKind('Deployment');
  t.equal(deployments.length, 3);
  for (const deployment of deployments) {
    const what = deployment.metadata.name;
    const container = containerOf(deployment);
    t.match(container.livenessProbe?.httpGet, { path: '/health/live', port: 'metrics' }, what);
    t.match(container.readinessProbe?.httpGet, { path: '/health/ready', port: 'metrics' }, what);
    t.ok(container.startupProbe, what);
    const ports = container.ports?.map(({ name, containerPort }) => `${name} ${containerPort}`);
    t.ok(ports?.includes('metrics 9464'), what);
    t.match(container.resources, { requests: { cpu: String, memory: String }, limits: { memory: String } });
    const limited = deployment.spec.template?.spec.volumes.filter(({ emptyDir }) => emptyDir?.sizeLimit);
    t.match(limited, exactly([{ name: 'data' }]), `${what}: bodies lie in DATA_DIR`);
    t.same(deployment.spec.strategy?.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
    const entry = entryOf(container);
    t.ok(existsSync(join(root, entry)), `${what} runs ${entry}`);
  }
});

/** By what it scales: a resource, or a metric of another origin. */
function scaledBy({ spec }: Manifest): string | undefined {
  const [metric] = spec.metrics ?? [];
  return metric?.resource?.name ?? metric?.external?.metric.name;
}

interface KeyItem {
  readonly key: string;
  readonly path: string;
}

/** What lies in the folder of keys of the pods, wherever their volumes stand. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { name, secret } = value as { name?: unknown; secret?: { items?: readonly KeyItem[] } | null };
  if (name === 'keys' && secret !== undefined)
    return (secret?.items ?? []).map(({ key, path }) => `${key} as ${path}`);
  return Object.values(value).flatMap(keysIn);
}

const keysOf = (path: string): string[] =>
  parseAllDocuments(read(path)).flatMap((document) => keysIn(document.toJS()));

tap.test('keys that nobody can make there are given', (t) => {
  const given = ['invitation.pem as invitation.pem', 'invitation-public.pem as invitations/invitation.pem'];
  const ofAnchors = ['anchor.pem as anchor.pem', 'anchor-public.pem as anchors/anchor.pem'];
  const digestKey = 'digest.key as digest.key';
  t.same(keysOf('kubernetes/worker.yaml'), [digestKey, ...given, ...ofAnchors]);
  for (const reader of ['command', 'verify'])
    t.same(keysOf(`kubernetes/${reader}.yaml`), [digestKey, ofAnchors[1]], reader);
  const page = readFileSync(join(root, 'docs/production.md'), 'utf8');
  for (const name of ['invitation', 'anchor']) {
    t.match(page, new RegExp(`for key in .*${name}`));
    t.match(page, new RegExp(`--from-file=${name}.pem --from-file=${name}-public.pem`));
  }
  t.end();
});

tap.test('what scales is there, and goes by a metric that is there', async (t) => {
  const metrics = new Metrics();
  t.teardown(() => metrics.registry.clear());
  const scalers = ofKind('HorizontalPodAutoscaler');
  t.same(scalers.map(scaledBy).sort(), ['cpu', 'rollcall_pending_imports']);
  for (const { spec } of scalers) {
    const scaled = ofKind('Deployment').filter(({ metadata }) => metadata.name === spec.scaleTargetRef?.name);
    t.equal(scaled.length, 1, `${spec.scaleTargetRef?.name} is there`);
    t.notOk(scaled[0]?.spec.replicas, 'an applied manifest does not undo the autoscaler');
  }
  const { rules } = parse(read('prometheus/adapter.yaml')) as {
    rules: { external: { seriesQuery: string; name: { as: string } }[] };
  };
  const external = { name: { as: 'rollcall_pending_imports' }, seriesQuery: /^rollcall_pending_imports\{/ };
  t.match(rules.external, exactly([external]));
  t.ok(metrics.registry.getSingleMetric('rollcall_pending_imports'));
});

tap.test('whatever runs may go one at a time, and no more at once', async (t) => {
  const budgets = ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector);
  for (const { metadata, spec } of ofKind('Deployment')) {
    // A projector's version is another one at each upgrade, its budget is the same.
    const labels = Object.entries(spec.selector?.matchLabels ?? {}).filter(
      ([name]) => !name.endsWith('/version'),
    );
    t.ok(
      budgets.some((selector) => isDeepStrictEqual(selector?.matchLabels, Object.fromEntries(labels))),
      metadata.name,
    );
  }
});

tap.test('status asks every pod of every process, ready or not', async (t) => {
  const labels = ofKind('Deployment').map(({ spec }) => spec.template?.metadata?.labels ?? {});
  const names = labels.map((each) => `rollcall-${each['app.kubernetes.io/component']}`);
  const addresses = ofKind('ConfigMap').map(({ data }) => data?.['PROCESS_ADDRESSES']);
  t.same(addresses, [names.map((name) => `http://${name}:9464`).join()]);
  for (const [index, name] of names.entries()) {
    const service = ofKind('Service').find(({ metadata }) => metadata.name === name);
    const spec = { clusterIP: 'None', publishNotReadyAddresses: true, ports: exactly([{ port: 9464 }]) };
    t.match(service, { spec }, name);
    t.match(labels[index], service?.spec.selector, name);
  }
  const ofRollcall = { 'app.kubernetes.io/name': 'rollcall' };
  const within = { from: [{}, { podSelector: { matchLabels: ofRollcall } }], ports: [{ port: 9464 }] };
  const ingress = [within, { ports: [{ port: 3000 }] }];
  t.match(ofKind('NetworkPolicy'), exactly([{ spec: { ingress } }]), 'pods may ask each other');
  const template = { metadata: { labels: ofRollcall } };
  t.match(ofKind('Job'), exactly([{ spec: { template } }]), 'so may a command');
});

tap.test('the kustomization has what kubectl apply -f of the folder reads', async (t) => {
  const { resources, images } = parse(read('kustomization.yaml')) as Kustomization;
  const files = filesIn('kubernetes').sort();
  const isOfJob = (path: string): boolean => /^kind: Job$/m.test(read(path));
  t.same(
    resources,
    files.filter((path) => !isOfJob(path)),
    'no apply with another tag changes a Job',
  );
  for (const path of files.filter(isOfJob)) t.match(read(path), /^ {2}ttlSecondsAfterFinished: /m, path);
  const image = images.map(({ name, newTag }) => `${name}:${newTag}`).join();
  for (const path of files)
    for (const [, used] of read(path).matchAll(/image: (.+)/g)) t.equal(used, image, path);
});

const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: { projector: { scale: number }; worker: { environment: Record<string, string> } };
};

tap.test('compose has a projector that stands by', async (t) => {
  t.equal(services.projector.scale, 2);
});

tap.test('compose chooses no mailer: a mail server without the choice is refused there too', async (t) => {
  const variables = Object.entries(services.worker.environment).map(([name, value]): [string, string] => {
    const [, variable = '', preset] = /^\$\{(\w+):-(.*)\}$/.exec(value) ?? [];
    return [name, variable === 'SMTP_URL' ? 'smtps://mail.example.com' : (preset ?? value)];
  });
  const message = 'SMTP_URL is set and MAILER is not: choose smtp or file';
  t.throws(() => readWorkerConfig(Object.fromEntries(variables)), { message });
});

/** What takes rights away from a unit. */
const hardening = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^(NoNewPrivileges|Protect|Private|Restrict|CapabilityBounding|SystemCall)/.test(line))
    .sort();

tap.test('each unit of systemd is as tight as the others', async (t) => {
  const expected = hardening(read('systemd/rollcall-projector.service'));
  t.ok(expected.length >= 10, expected.join());
  t.match(
    expected.join('\n'),
    /^RestrictAddressFamilies=.* AF_NETLINK\b/m,
    'os.networkInterfaces() asks by netlink',
  );
  t.match(expected.join('\n'), /^SystemCallFilter=.* @pkey$/m, 'Node.js 20 calls pkey_alloc');
  for (const path of filesIn('systemd').filter((name) => name.endsWith('.service')))
    t.same(hardening(read(path)), expected, path);
});

tap.test('the newest 14 backups are kept, and none that was cut off', async (t) => {
  const unit = read('systemd/rollcall-backup.service');
  const run = (when: string, folder: string): void => {
    const commands = [...unit.matchAll(new RegExp(`^ExecStart${when}=-?(.+)$`, 'gm'))];
    t.ok(commands.length > 0, when);
    for (const [, command = ''] of commands)
      // As systemd does, which expands no pattern.
      execFileSync('/bin/sh', ['-c', `set -f; ${command.replaceAll('/var/backups/rollcall', folder)}`]);
  };
  const copies = Array.from({ length: 16 }, (_, day) => `2026-11-${day + 10}T021500Z`);
  const failed = ['2026-11-01T021500Z', '2026-11-30T021500Z'];
  const others = ['lost+found', 'my-own'];
  const places = () => ({
    ...Object.fromEntries(copies.map((name) => [name, { 'manifest.json': '{}', keys: {} }])),
    ...Object.fromEntries([...failed, ...others].map((name) => [name, { keys: {} }])),
  });
  const folder = t.testdir(places());
  run('Post', folder);
  t.same(
    readdirSync(folder),
    [...copies.slice(2), ...failed, ...others].sort(),
    'whatever failed after them',
  );
  const next = t.testdir(places());
  run('Pre', next);
  t.same(readdirSync(next), [...copies.slice(2), ...others].sort(), 'before the next');
});

tap.test('each unit of systemd runs what is built', async (t) => {
  const units = filesIn('systemd');
  for (const path of units.filter((name) => name.endsWith('.service'))) {
    const text = read(path);
    const [, program = ''] = /(?:dist\/(\w+)\.js|cli\/bin\/rollcall\.js)/.exec(text) ?? [];
    t.ok(existsSync(join(root, program === '' ? 'cli/bin/rollcall.js' : `${program}/src/main.ts`)), path);
    t.match(text, /^StateDirectory=rollcall\nStateDirectoryMode=0700$/m);
  }
  for (const path of units.filter((name) => name.endsWith('.timer')))
    t.ok(units.includes(path.replace('.timer', '.service')), path);
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
  readonly gridPos: { readonly x: number; readonly w: number };
}

tap.test('the dashboard', async (t) => {
  const dashboard = JSON.parse(read('grafana/rollcall.json')) as { uid: string; panels: Panel[] };
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');
  t.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length, 'each id once');
  t.equal(new Set(panels.map(({ title }) => title)).size, panels.length, 'each title once');
  for (const { title, targets, gridPos } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24, title);
    for (const { expr } of targets ?? [{ expr: '' }]) t.match(expr, /job=~"\$job"/, title);
  }
});

tap.test('all that lies there is told of', async (t) => {
  const pages = ['production.md', 'alerts.md', 'queue.md'].map((name) =>
    readFileSync(join(root, 'docs', name), 'utf8'),
  );
  for (const entry of readdirSync(join(root, 'deploy')))
    t.ok(
      pages.some((page) => page.includes(`deploy/${entry}`)),
      `deploy/${entry}`,
    );
});
