import type { LogAnchored } from '../events/anchor-events.js';

export const logAnchoredExample: LogAnchored = {
  format: 1,
  installationId: '0f8b1e6c-3d52-4a8e-9c41-7b6d2a90e5f3',
  time: '2026-11-24T09:00:00.000Z',
  position: '4711',
  events: 4_690,
  streams: 312,
  root: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  kid: '3b9aca00d15ea5e5',
  signature: `${'A'.repeat(86)}==`,
};
