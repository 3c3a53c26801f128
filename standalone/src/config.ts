import { readServerConfig, type ServerConfig } from '@rollcall/api';
import { readWorkerConfig, type WorkerConfig } from '@rollcall/worker';

export type StandaloneConfig = ServerConfig & WorkerConfig;

export const readStandaloneConfig = (env: NodeJS.ProcessEnv): StandaloneConfig => ({
  ...readServerConfig(env),
  ...readWorkerConfig(env),
});
