import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '@rollcall/host';
import tap from 'tap';
import { root } from '../architecture/source-files.js';
import { rollcallWithin } from '../cli/rollcall.js';

const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

const page = read('docs', 'alerts.md');
const ruleFile = read('deploy', 'prometheus', 'rules.yml');
const rules = ruleFile.split(/^ +- alert: /m).slice(1);

/** Whatever names metrics. In the dashboard quotes are escaped. */
const text = [
  page,
  ruleFile,
  read('deploy', 'prometheus', 'rules.test.yml'),
  read('deploy', 'grafana', 'rollcall.json').replaceAll('\\"', '"'),
  read('deploy', 'prometheus', 'adapter.yaml'),
  read('deploy', 'kubernetes', 'worker.yaml'),
  read('docs', 'production.md'),
].join('\n');

tap.test('every rule says when, how grave, what and which command to run', async (t) => {
  t.ok(rules.length >= 10, `${rules.length} rules`);
  const names = rules.map((rule) => /^\w+/.exec(rule)?.[0]);
  t.equal(new Set(names).size, rules.length, 'each name once');
  for (const [index, rule] of rules.entries())
    for (const part of [
      /^ +expr: \S/m,
      /^ +for: \d+[smh]$/m,
      /severity: (page|ticket)/,
      /summary: \S/,
      /command: \S/,
      /runbook_url: https:\/\/rollcall\.example\.com\/docs\/[a-z-]+\.md#[a-z-]+$/m,
    ])
      t.match(rule, part, `${names[index]} has ${part.source}`);
});

tap.test('a process that vanished is missed by the name under which it is found', async (t) => {
  const settings = read('deploy', 'prometheus', 'prometheus.yml');
  const [, names = ''] = /names: \[(.+)\]/.exec(settings) ?? [];
  t.match(settings, /source_labels: \[__meta_dns_name\]\n +target_label: process$/m);
  const down = rules.find((rule) => rule.startsWith('RollcallProcessDown')) ?? '';
  const missed = [...down.matchAll(/absent\(up\{job="rollcall",process="(\w+)"\}\)/g)].map(
    ([, name]) => name,
  );
  t.same(missed, names.split(', '));
});

/** What Prometheus puts on every series. */
const ofPrometheus = ['job', 'instance', 'namespace'];

/** Labels by every name under which a metric is scraped. */
function labelsByName(metrics: Metrics): Map<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  for (const { name, type, ...rest } of metrics.registry.getMetricsAsArray()) {
    const labels = 'labelNames' in rest ? (rest.labelNames as readonly string[]) : [];
    const endings = String(type) === 'histogram' ? ['_count', '_sum', '_bucket'] : [''];
    for (const ending of endings) known.set(name + ending, labels);
  }
  return known;
}

tap.test('every metric that is named exists, with its labels', async (t) => {
  const metrics = new Metrics();
  t.teardown(() => metrics.registry.clear());
  const known = labelsByName(metrics);
  const named = [...text.matchAll(/\b((?:rollcall|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)];
  t.ok(named.length >= rules.length);
  for (const [whole, name = '', matchers = ''] of named) {
    const labels = known.get(name) ?? known.get(`${name}_count`);
    t.ok(labels, whole);
    const asked = [...matchers.matchAll(/(\w+)(?:=~|!=|!~|=)/g)].map(([, label = '']) => label);
    const all = [...(labels ?? []), ...ofPrometheus];
    for (const label of asked) t.ok(all.includes(label), `${name} has ${label}`);
  }
});

tap.test('every metric of this service is told of', async (t) => {
  const metrics = new Metrics();
  t.teardown(() => metrics.registry.clear());
  const known = labelsByName(metrics);
  const described = [...known.keys()].filter(
    (name) => name.startsWith('rollcall_') && !/_(count|sum)$/.test(name),
  );
  for (const name of described) t.ok(page.includes(name.replace(/_bucket$/, '')), `${name} is told of`);
});

tap.test('every command that is named exists', async (t) => {
  const rollcall = rollcallWithin(t.testdir());
  const commands = new Set(
    [...ruleFile.matchAll(/\brollcall ([a-z]+ [a-z]+)\b/g)].map(([, command = '']) => command),
  );
  t.ok(commands.size >= 4, [...commands].join(', '));
  for (const command of commands) {
    const { code, out } = await rollcall(`${command} --help`);
    t.equal(code, 0, command);
    t.match(out, `Usage: rollcall ${command}`);
  }
});
