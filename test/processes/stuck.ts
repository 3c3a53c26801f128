import { setImmediate } from 'node:timers/promises';
import { commonConfig, commonVariables, readEnvironment, runProcess } from '@rollcall/host';
import { Type } from 'typebox';

/** A process that something keeps from ending, behind its close or, by default, in it. */
await runProcess({
  readConfig: (env) => commonConfig(readEnvironment(Type.Object(commonVariables), env)),
  closeWithinMs: Number(process.argv[2]),
  start: async () => {
    setInterval(() => undefined, 60_000);
    await setImmediate();
    process.stdout.write('It runs\n');
    const closes = process.argv[3] === 'closes';
    return {
      close: () => new Promise((resolve) => (process.stdout.write('It ends\n'), closes && resolve())),
    };
  },
});
