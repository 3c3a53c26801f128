import { commonConfig, commonVariables, readEnvironment, type CommonConfig } from '@rollcall/adapters/read';
import { Type } from 'typebox';

/** The environment of the projector (docs/configuration.md, "Variables"). */
const Environment = Type.Object(commonVariables);

/** Reads the environment. `ConfigInvalid` names each bad variable. */
export const readProjectorConfig = (env: NodeJS.ProcessEnv): CommonConfig =>
  commonConfig(readEnvironment(Environment, env));
