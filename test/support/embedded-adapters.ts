import type { AdaptersConfig } from '@rollcall/adapters';

export const embeddedAdapters = (dataDir: string): AdaptersConfig => ({
  dataDir,
  eventLog: { kind: 'embedded' },
  readModels: { kind: 'embedded' },
  queue: { kind: 'embedded' },
  streamPrefix: '',
});
