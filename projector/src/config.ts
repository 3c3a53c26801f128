import { commonConfig, commonVariables, readEnvironment, type CommonConfig } from '@rollcall/host/read';
import { Type } from 'typebox';

const Environment = Type.Object(commonVariables);

export const readProjectorConfig = (env: NodeJS.ProcessEnv): CommonConfig =>
  commonConfig(readEnvironment(Environment, env));
