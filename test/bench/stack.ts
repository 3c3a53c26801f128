import type { AdaptersConfig } from '@rollcall/adapters';

/** Where an installation keeps its data, and how its processes are started for the cases that are calls. */
export interface Stack {
  readonly name: string;
  config(dataDir: string): AdaptersConfig;
  start(config: AdaptersConfig): Promise<{ url: string; pid: number; kill(): Promise<void> }>;
}
