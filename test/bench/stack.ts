import type { AdaptersConfig } from '@rollcall/adapters';
import type { Service } from './service.js';

/** Where an installation keeps its data, and how its processes are started for the cases that are calls. */
export interface Stack {
  readonly name: string;
  config(dataDir: string): AdaptersConfig;
  start(config: AdaptersConfig): Promise<Service>;
}
