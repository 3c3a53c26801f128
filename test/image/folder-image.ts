import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { root } from '../runner/test-files.js';
import { command } from './command.js';

interface Stage {
  readonly folder: string;
  workdir: string;
  readonly env: Record<string, string>;
  cmd: readonly string[];
}

/** What the Dockerfile's last stage comes to, in a folder. */
export interface FolderImage {
  /** The root of its file system. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly cmd: readonly string[];
}

type Follow = (stage: Stage, text: string, stages: Stages) => Promise<void> | void;
type Stages = ReadonlyMap<string, Stage>;

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const nothing: Follow = () => undefined;

/** Every instruction that the Dockerfile may use. Who a container runs as, and what it is told from outside, no folder has. */
const instructions: Readonly<Record<string, Follow>> = {
  WORKDIR: async (stage, text) => {
    stage.workdir = text;
    await mkdir(join(stage.folder, text), { recursive: true });
  },
  ENV: (stage, text) => {
    for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
  },
  CMD: (stage, text) => {
    stage.cmd = JSON.parse(text) as string[];
  },
  COPY: copy,
  RUN: run,
  USER: nothing,
  VOLUME: nothing,
  EXPOSE: nothing,
  ARG: nothing,
  LABEL: nothing,
};

/** Follows the repository's Dockerfile line by line, without an engine; rejects at an instruction that is not known here. */
export async function followDockerfile(folder: string): Promise<FolderImage> {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8');
  const lines = text.replace(/\\\n/g, ' ').split('\n');
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const line of lines.filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
    const [name = '', ...rest] = words(line);
    if (name === 'FROM') stage = await begin(stages, rest, join(folder, String(stages.size)));
    else await follow(stage, name, { text: rest.join(' '), stages });
  }
  if (stage === undefined) throw new Error('The Dockerfile has no FROM');
  return stage;
}

async function begin(stages: Map<string, Stage>, from: readonly string[], folder: string): Promise<Stage> {
  const [base = '', , name = 'last'] = from;
  const before = stages.get(base);
  const stage = { folder, workdir: '/', cmd: [], ...before, env: { ...before?.env } };
  const own = { ...stage, folder };
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true });
  if (before !== undefined) await cp(before.folder, folder, { recursive: true, verbatimSymlinks: true });
  stages.set(name, own);
  return own;
}

async function follow(
  stage: Stage | undefined,
  name: string,
  { text, stages }: { readonly text: string; readonly stages: Stages },
): Promise<void> {
  const instruction = instructions[name];
  if (instruction === undefined || stage === undefined)
    throw new Error(`${name} is not known to test/image/folder-image.ts`);
  await instruction(stage, text, stages);
}

function copyParts(text: string): { from: string | undefined; sources: string[]; to: string } {
  const from = /^--from=(\S+)/.exec(text)?.[1];
  const all = words(text).slice(from === undefined ? 0 : 1);
  return { from, sources: all.slice(0, -1), to: all.at(-1) ?? '' };
}

async function copy(stage: Stage, text: string, stages: Stages): Promise<void> {
  const { from, sources, to } = copyParts(text);
  const place = join(stage.folder, resolve(stage.workdir, to));
  if (sources.includes('.')) return copyRepository(place);
  const source = from === undefined ? root : (stages.get(from)?.folder ?? '');
  for (const each of sources)
    await cp(join(source, each), to.endsWith('/') ? join(place, basename(each)) : place, {
      recursive: true,
      verbatimSymlinks: true,
    });
}

/** All that is neither ignored nor of the tests: `.dockerignore` leaves those out. */
async function copyRepository(to: string): Promise<void> {
  const listed = await command(['git', '-C', root, 'ls-files', '--cached', '--others', '--exclude-standard']);
  for (const file of listed
    .split('\n')
    .filter((path) => path !== '' && !/^(test|docs|deploy|\.ci)\//.test(path)))
    await cp(join(root, file), join(to, file)).catch(() => undefined);
}

/** Absolute places are those in the folder; there is no user `node`. */
async function run(stage: Stage, text: string): Promise<void> {
  const here = text.replace(/chown \S+ [^&]+&&/g, '').replace(/(?<=\s)\/(?=\w)/g, `${stage.folder}/`);
  const cwd = join(stage.folder, stage.workdir);
  await command(['sh', '-ec', here], { cwd, withinMs: 600_000 });
}
