import { existsSync } from 'node:fs';
import { listenProblem, runProcess } from '@rollcall/host';

import { readStandaloneConfig } from './config.js';
import { demoCompanyId, tokenFile } from './first-run.js';
import { startStandalone } from './start-standalone.js';
import { welcomeText } from './welcome.js';

await runProcess({
  readConfig: readStandaloneConfig,
  start: async (config, logger) => {
    const running = await startStandalone(config, logger);
    const token = tokenFile(config.adapters.dataDir);
    const shown = existsSync(token) ? token : undefined;
    process.stdout.write(
      welcomeText({ address: running.address, companyId: demoCompanyId, tokenFile: shown }),
    );
    return running;
  },
  explain: listenProblem,
});
