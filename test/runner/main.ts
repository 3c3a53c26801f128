import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runFile, type FileResult, type Totals } from './run-file.js';
import { filesNamed, testFiles, type Group } from './test-files.js';

/**
 * `npm test` and its sisters: runs the built test files of the groups that are named, or those whose path holds a name that
 * is given, but none whose path holds one of `--without`, a few at once, each in a process of its own. The last line is
 * `N passed, N failed, N skipped`; `--totals` appends it to a file too; `--coverage` collects in a folder what the quickest run.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    faults: { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    timeout: { type: 'string', default: '600' },
    totals: { type: 'string' },
    coverage: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function chosenGroups(): readonly Group[] {
  if (values.all) return ['faults', 'quick'];
  if (values.image) return ['image'];
  if (values.page) return ['page'];
  return values.faults ? ['faults'] : ['quick'];
}

/** The folder for what this file runs of the code: where one is named, only a spec's or a test's of the application alone. */
function coverageOf(file: string): string | undefined {
  if (values.coverage === undefined) return process.env['NODE_V8_COVERAGE'];
  return /\.spec\.js$|^test\/dist\/application\//.test(file) ? values.coverage : undefined;
}

async function runAll(files: readonly string[]): Promise<FileResult[]> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file, Number(values.timeout), coverageOf(file));
      results.push(result);
      say(`${result.failed > 0 ? 'FAILED' : '    ok'} ${result.seconds.toFixed(1).padStart(6)} s ${file}`);
      if (result.problems !== '') say(result.problems);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  return results;
}

function sumOf(results: readonly Totals[]): Totals {
  const sum = (name: keyof Totals): number => results.reduce((before, each) => before + each[name], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

function sayWhatWasLeftOut(results: readonly FileResult[]): void {
  for (const { file, skips } of results) for (const skip of skips) say(`skipped in ${file}: ${skip}`);
  if (values.all || values.faults || values.image || values.page || positionals.length > 0) return;
  const left = testFiles('faults').length;
  say(`Not run: ${left} files that kill, crash, flood or need servers; npm run test:faults runs them.`);
  say('Not run: the image and its compose file on a Docker engine; npm run test:image does.');
  say('Not run: the operations page in a browser; npm run test:page does.');
}

function chosenFiles(): string[] {
  if (positionals.length === 0) return chosenGroups().flatMap(testFiles);
  return positionals.flatMap((name) => {
    const files = filesNamed(name);
    if (files.length > 0) return files;
    process.stderr.write(`No test file's path holds '${name}'.\n`);
    process.exit(1);
  });
}

const files = [...new Set(chosenFiles())].filter(
  (file) => !values.without.some((part) => file.includes(part)),
);
const begun = performance.now();
const results = await runAll(files);
const sum = sumOf(results);
sayWhatWasLeftOut(results);
for (const { file, failed, firstProblem } of results) if (failed > 0) say(`FAILED: ${file}: ${firstProblem}`);
say(`${files.length} files in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
const line = `${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`;
if (values.totals !== undefined) appendFileSync(values.totals, `${line}\n`);
say(line);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
