import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { rewrittenFiles } from './frozen-files.js';

tap.test('a number stands for one content, for ever', async (t) => {
  t.strictSame(rewrittenFiles(), [], 'take these files back from git, and raise the number instead');
});

tap.test('a frozen file that is written anew is named, before the commit and behind it', async (t) => {
  const repository = t.testdir();
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: repository,
    });
  const path = 'test/frozen/log-1/companies-1.txt';
  const write = (text: string): void => writeFileSync(join(repository, path), text);
  t.strictSame(rewrittenFiles(repository), [], 'without a history');
  git('init', '--quiet');
  mkdirSync(join(repository, 'test/frozen/log-1'), { recursive: true });
  write('one');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  t.strictSame(rewrittenFiles(repository), []);
  write('two');
  t.strictSame(rewrittenFiles(repository), [path], 'not committed');
  git('commit', '--quiet', '-a', '-m', 'two');
  t.strictSame(rewrittenFiles(repository), [path], 'committed');
  write('one');
  t.strictSame(rewrittenFiles(repository), [path], 'and undone: both are in the history');
  rmSync(join(repository, path));
  t.strictSame(rewrittenFiles(repository), [], 'a file that is gone has no content');
});
