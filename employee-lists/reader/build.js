import { Buffer } from 'node:buffer';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const target = join(folder, '../dist/reader-module.js');
const settings = [
  '-O3',
  '--noAssert',
  ...['--runtime', 'stub'],
  ...['--enable', 'simd'],
  ...['--baseDir', folder],
  ...['--outFile', 'reader.wasm'],
];

const sources = () => readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
const modified = (path) => statSync(path).mtimeMs;

export const readerInputs = () => ['build.js', ...sources()].map((name) => join(folder, name));

/** Compiles the reader (AssemblyScript) into `employee-lists/dist/reader-module.js` if that is older than its sources. */
export async function buildReader() {
  if (existsSync(target) && readerInputs().every((path) => modified(path) < modified(target))) return;
  const { default: asc } = await import('assemblyscript/asc');
  const written = new Map();
  const { error, stderr } = await asc.main(['index.ts', ...settings], {
    readFile: (name, base) => (existsSync(join(base, name)) ? readFileSync(join(base, name), 'utf8') : null),
    writeFile: (name, contents) => void written.set(name, contents),
    listFiles: () => sources(),
  });
  if (error)
    throw new Error(`The reader of employees does not compile:\n${stderr.toString()}`, { cause: error });
  const text = Buffer.from(written.get('reader.wasm')).toString('base64');
  mkdirSync(join(folder, '../dist'), { recursive: true });
  writeFileSync(`${target}.${process.pid}`, `export const wasm =\n  '${text}';\n`);
  renameSync(`${target}.${process.pid}`, target);
}

const isMain = process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href;
if (isMain) await buildReader();
