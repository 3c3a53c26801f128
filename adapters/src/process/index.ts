export {
  adaptersConfig,
  adapterVariables,
  commonConfig,
  commonVariables,
  requiredUrl,
  type CommonConfig,
} from './common-config.js';
export { DataFolderUnusable, prepareDataFolder } from './data-folder.js';
export { ConfigInvalid, oneOf, readEnvironment } from './environment.js';
export { createLogger, type Logger } from './logger.js';
export {
  invitationsConfig,
  invitationVariables,
  type InvitationRate,
  type InvitationsConfig,
} from './invitation-config.js';
export { openInstallation, serveOperations, type Installation } from './installation.js';
export { openImports } from './open-imports.js';
export { openInParts, type Closable, type Opened } from './parts.js';
export { partProblems, queueProblems, type ReadinessParts } from './readiness.js';
export { framesOf, isOutage, problemOf, type ProcessLogger } from './problems.js';
export { everyByTimer, growingDelay, sleep, type Every, type Sleep } from './timers.js';
export { runProcess, type ProcessDescription } from './run-process.js';
