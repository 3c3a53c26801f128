export { measuredEventLog, type ObserveEventLog } from './measured-event-log.js';
export { measuredRunner } from './measured-runner.js';
export { Metrics, type MetricsOptions, type Probe } from './metrics.js';
export {
  openOperationsServer,
  type OperationsAddress,
  type OperationsParts,
  type OperationsServer,
} from './operations-server.js';
export { eventLogObserver, lagInEvents, MOST_LAG, watchStores, type WatchedStores } from './store-metrics.js';
