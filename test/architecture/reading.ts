import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './source-files.js';

const folder = join(root, 'projector');
const invented = join(folder, 'src', 'invented.ts');

/** What the compiler says of a file with this text in the projector, as `TS2307: ...`. The workspaces must be built. */
export function reading(text: string): string[] {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), (path) =>
    readFileSync(path, 'utf8'),
  ) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const host = ts.createCompilerHost(options);
  host.fileExists = (path) => path === invented || ts.sys.fileExists(path);
  host.readFile = (path) => (path === invented ? text : ts.sys.readFile(path));
  const program = ts.createProgram([invented], { ...options, noEmit: true }, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(invented))
    .map(({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}
